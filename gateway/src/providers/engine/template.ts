import { err, ok, type Result } from '@gatehouse/crds';

interface Placeholder {
  readonly key: string;
  readonly fallback: string | undefined;
}

/** A parsed template: texts and placeholders in order. */
export interface CompiledTemplate {
  readonly parts: readonly (string | Placeholder)[];
  /** The text itself when it has no placeholder. */
  readonly constant: string | undefined;
  readonly keys: readonly string[];
}

export type Lookup = (key: string) => string | undefined;

const PLACEHOLDER = /\{([a-z][a-z0-9_]*)(?:\|([^{}]*))?\}/g;

/** Parses the placeholders `{key}` and `{key|default}` of a text. */
export function compileTemplate(text: string): CompiledTemplate {
  const parts: (string | Placeholder)[] = [];
  const keys: string[] = [];
  let end = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    const [whole, key = '', fallback] = match;
    if (match.index > end) parts.push(text.slice(end, match.index));
    parts.push({ key, fallback });
    keys.push(key);
    end = match.index + whole.length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return { parts, keys, constant: keys.length === 0 ? text : undefined };
}

/** The text with its values; the error is the key of the first placeholder without one. */
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
