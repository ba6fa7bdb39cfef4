/** How prompts and partials are named: `slug`, `slug@3`, `slug@latest`, `slug@default` or, prompts alone, `slug@label`. */
import { err, ok, type Result } from '../lib/result.ts';

export const MAX_PROMPT_VERSION = 1_000_000;

/** Labels that every workspace has. */
export const BUILT_IN_LABELS: readonly string[] = ['production', 'staging', 'development'];

/** Names after the `@` that are no labels. */
const RESERVED: ReadonlySet<string> = new Set(['latest', 'default']);

const SLUG = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const NUMBER = /^[1-9][0-9]{0,6}$/;
const LABEL = /^[A-Za-z0-9_-]{1,64}$/;
const DIGITS = /^[0-9]+$/;

/** Which version is meant: a number, the newest one, the published one, or the one with a label. */
export type VersionChoice =
  | { readonly kind: 'number'; readonly number: number }
  | { readonly kind: 'latest' }
  | { readonly kind: 'default' }
  | { readonly kind: 'label'; readonly label: string };

export interface PromptReference {
  readonly slug: string;
  readonly version: VersionChoice;
}

/** Whether a text can be the name of a label: `@NAME` must not mean anything else. */
export const isLabelName = (text: string): boolean => LABEL.test(text) && !RESERVED.has(text) && !DIGITS.test(text);

/** Reads what stands after the `@`; absent: the published version. */
export function parseVersionChoice(text: string | undefined): VersionChoice | undefined {
  if (text === undefined || text === 'default') return { kind: 'default' };
  if (text === 'latest') return { kind: 'latest' };
  if (NUMBER.test(text) && Number(text) <= MAX_PROMPT_VERSION) return { kind: 'number', number: Number(text) };
  return isLabelName(text) ? { kind: 'label', label: text } : undefined;
}

/** Reads a reference. The error says what is wrong with it. */
export function parsePromptReference(text: string): Result<PromptReference, string> {
  const at = text.indexOf('@');
  const slug = at === -1 ? text : text.slice(0, at);
  if (!SLUG.test(slug)) return err(`${quoted(slug)} is not the slug of a prompt`);
  const version = parseVersionChoice(at === -1 ? undefined : text.slice(at + 1));
  if (version !== undefined) return ok({ slug, version });
  return err(`${quoted(text.slice(at))} is not a version: a number, latest, default or a label is expected`);
}

/** Reads the reference to a partial, which has no labels. */
export function parsePartialReference(text: string): Result<PromptReference, string> {
  const parsed = parsePromptReference(text);
  if (!parsed.ok || parsed.value.version.kind !== 'label') return parsed;
  return err(`partials have no labels: ${quoted(text)} names a number, latest or nothing after the @`);
}

/** The name of the object that holds a version. */
export const versionName = (slug: string, number: number): string => `${slug}-v${number}`;

const MAX_QUOTED = 80;
const quoted = (text: string): string => JSON.stringify(text.slice(0, MAX_QUOTED));
