import { err, ok, type Result } from '@gatehouse/crds';

interface Placeholder {
  readonly key: string;
  readonly fallback: string | undefined;
}

/** A template taken apart: texts and places in turn. */
export interface CompiledTemplate {
  readonly parts: readonly (string | Placeholder)[];
  /** The text itself when there is no place in it. */
  readonly constant: string | undefined;
  readonly keys: readonly string[];
}

export type Lookup = (key: string) => string | undefined;

const PLACE = /\{([a-z][a-z0-9_]*)(?:\|([^{}]*))?\}/g;

/** Takes `{key}` and `{key|default}` places out of a text. */
export function compileTemplate(text: string): CompiledTemplate {
  const parts: (string | Placeholder)[] = [];
  const keys: string[] = [];
  let end = 0;
  for (const match of text.matchAll(PLACE)) {
    const [whole, key = '', fallback] = match;
    if (match.index > end) parts.push(text.slice(end, match.index));
    parts.push({ key, fallback });
    keys.push(key);
    end = match.index + whole.length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return { parts, keys, constant: keys.length === 0 ? text : undefined };
}

/** The text with its places filled; the error is the key of the first place that stays empty. */
export function renderTemplate(template: CompiledTemplate, lookup: Lookup): Result<string, string> {
  if (template.constant !== undefined) return ok(template.constant);
  let text = '';
  for (const part of template.parts) {
    const value = typeof part === 'string' ? part : (lookup(part.key) ?? part.fallback);
    if (value === undefined) return err(typeof part === 'string' ? part : part.key);
    text += value;
  }
  return ok(text);
}
