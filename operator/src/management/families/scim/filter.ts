/** Filters of SCIM (RFC 7644, section 3.4.2.2), as far as directories look for one object: comparisons with `eq`. */
import { err, ok, type Result } from '@gatehouse/crds';

export interface Term {
  /** In lower case, without the URN of the core schema: `username`, `emails[type eq "work"].value`. */
  readonly attribute: string;
  readonly value: string | boolean | number | null;
}

const TERM =
  /\s*([A-Za-z][\w$:.-]*(?:\[[^\]]{0,256}\](?:\.[A-Za-z]\w*)?)?)\s+([A-Za-z]+)(?:\s+("(?:[^"\\]|\\.)*"|[A-Za-z]+|-?\d+(?:\.\d+)?))?/y;
const JOINER = /\s+([A-Za-z]+)\s+/y;
const CORE = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/;

/** A path of an attribute as texts are compared: case makes no difference. */
export const toAttribute = (path: string): string => path.trim().toLowerCase().replace(CORE, '');

/** Terms that are all joined by the same word. Errors say what is expected. */
export function parseFilter(text: string, joiner: 'and' | 'or' = 'and'): Result<readonly Term[], string> {
  const terms: Term[] = [];
  for (let at = 0; ; ) {
    const read = readTerm(text, at);
    if (!read.ok) return read;
    terms.push(read.value.term);
    if (text.slice(read.value.end).trim() === '') return ok(terms);
    JOINER.lastIndex = read.value.end;
    const [between, word] = JOINER.exec(text) ?? [];
    if (between === undefined || word?.toLowerCase() !== joiner) return err(`terms are joined by ${joiner}`);
    at = JOINER.lastIndex;
  }
}

function readTerm(text: string, at: number): Result<{ readonly term: Term; readonly end: number }, string> {
  TERM.lastIndex = at;
  const [, attribute, operator, value] = TERM.exec(text) ?? [];
  if (attribute === undefined) return err(`expected: attribute eq "value", at character ${at}`);
  if (operator?.toLowerCase() !== 'eq') return err(`the operator ${operator} is not served: eq is`);
  const parsed = value === undefined ? undefined : parseValue(value);
  if (parsed === undefined) return err(`${attribute}: expected a value in quotes, true, false, null or a number`);
  return ok({ term: { attribute: toAttribute(attribute), value: parsed.value }, end: TERM.lastIndex });
}

const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

function parseValue(text: string): { readonly value: Term['value'] } | undefined {
  if (text.startsWith('"')) return quoted(text);
  const word = WORDS.get(text.toLowerCase());
  if (word !== undefined) return { value: word };
  return /^[A-Za-z]/.test(text) ? undefined : { value: Number(text) };
}

function quoted(text: string): { readonly value: string } | undefined {
  try {
    return { value: String(JSON.parse(text)) };
  } catch {
    return undefined;
  }
}
