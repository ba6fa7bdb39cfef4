/** Prompts and partials of a Snapshot with their versions, compiled. */
import type { Template } from '@gatehouse/crds/prompts';
import type { SnapshotEntry } from '@gatehouse/crds/snapshot';
import { type CompiledPrompt, compilePartialText, compileTemplate } from '../prompts/index.ts';

/** A Prompt or a PromptPartial: `content` is what its versions have. */
export interface LibraryRecord<T> {
  readonly workspace: string | null;
  readonly slug: string;
  readonly published: number;
  readonly labels: ReadonlyMap<string, number>;
  /** Version 1, where the object itself has it. */
  readonly inline: T | undefined;
}

export interface VersionRecord<T> {
  readonly workspace: string | null;
  /** Of the Prompt or PromptPartial. */
  readonly slug: string;
  readonly version: number;
  readonly content: T;
}

export type PromptContent = CompiledPrompt['template'];
export type PromptRecord = LibraryRecord<PromptContent>;
export type PartialRecord = LibraryRecord<Template>;

/** What the entries of the library are compiled to. */
export type CompiledLibraryEntry =
  | { readonly kind: 'prompt'; readonly record: PromptRecord }
  | { readonly kind: 'promptVersion'; readonly record: VersionRecord<PromptContent> }
  | { readonly kind: 'partial'; readonly record: PartialRecord }
  | { readonly kind: 'partialVersion'; readonly record: VersionRecord<Template> };

export type MaybeSkipped = CompiledLibraryEntry | { readonly kind: 'skipped'; readonly reason: string };

const UNREADABLE: MaybeSkipped = { kind: 'skipped', reason: 'the template cannot be read' };

export function compilePromptEntry({ workspace, body }: SnapshotEntry<'prompt'>): MaybeSkipped {
  const { slug, published, labels, template } = body;
  const inline = template && compileTemplate(template);
  if (template !== undefined && inline === undefined) return UNREADABLE;
  return {
    kind: 'prompt',
    record: { workspace, slug, published, labels: new Map(Object.entries(labels)), inline },
  };
}

export function compilePromptVersion({ workspace, body }: SnapshotEntry<'promptVersion'>): MaybeSkipped {
  const content = compileTemplate(body.template);
  if (content === undefined) return UNREADABLE;
  return { kind: 'promptVersion', record: { workspace, slug: body.prompt, version: body.version, content } };
}

const NO_LABELS: ReadonlyMap<string, number> = new Map();

export function compilePartialEntry({ workspace, body }: SnapshotEntry<'partial'>): MaybeSkipped {
  const { slug, published, text } = body;
  const inline = text === undefined ? undefined : compilePartialText(text);
  if (text !== undefined && inline === undefined) return UNREADABLE;
  return { kind: 'partial', record: { workspace, slug, published, labels: NO_LABELS, inline } };
}

export function compilePartialVersion({ workspace, body }: SnapshotEntry<'partialVersion'>): MaybeSkipped {
  const content = compilePartialText(body.text);
  if (content === undefined) return UNREADABLE;
  return { kind: 'partialVersion', record: { workspace, slug: body.partial, version: body.version, content } };
}

/** The name of a version in its table. */
export const versionKey = ({ slug, version }: { readonly slug: string; readonly version: number }): string =>
  `${slug}@${version}`;
