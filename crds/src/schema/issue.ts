import type { z } from 'zod';
import { createSuggestions, didYouMean } from '../lib/suggestions.ts';
import { memberNames } from './shape.ts';
import { wordsOf } from './words.ts';

/** One validation problem of a document. `unsupported`: valid, but not served by this version. */
export interface Issue {
  readonly code: 'invalid' | 'unsupported';
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** What was parsed, and by which schema: for suggestions. */
export interface ParsedDocument {
  readonly schema: z.ZodType;
  readonly value: unknown;
  /** How the name of a member is written in the document; as in the schema when absent. */
  readonly spell?: (name: string) => string;
}

/** Most values that are listed. */
const MAX_LISTED = 8;

/** All issues of a zod error, paths flattened to strings and numbers. Wrong names come with the nearest valid one. */
export function fromZodError(error: z.ZodError, { schema, value, spell = asItIs }: ParsedDocument): Issue[] {
  const suggest = createSuggestions();
  /** The value is shown only where it is nearly a known one: it may be a secret in the wrong place. */
  const unknownValue = (given: unknown, known: readonly string[]): string => {
    const near = typeof given === 'string' && known.length > 1 ? suggest(given, known) : undefined;
    const isLong = known.length > MAX_LISTED && near !== undefined;
    return `${isLong ? `unknown value ${given}` : expected(known)}${didYouMean(near)}`;
  };
  return error.issues.flatMap(chosen).flatMap((issue) => {
    const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
    const invalid = (at: Issue['path'], message: string): Issue => ({ code: 'invalid', path: at, message });
    switch (issue.code) {
      case 'unrecognized_keys': {
        const known = memberNames(schema, path).map(spell);
        return issue.keys.map((key) => invalid([...path, key], `unknown field${didYouMean(suggest(key, known))}`));
      }
      case 'invalid_value':
        return [invalid(path, unknownValue(valueAt(value, path), issue.values.map(String)))];
      default:
        return [invalid(path, wordsOf(issue, valueAt(value, path)))];
    }
  });
}

type ZodIssue = z.ZodError['issues'][number];

/** The problems of the branch of a union that the value has the shape of; the issue itself where it has none. */
function chosen(issue: ZodIssue): readonly ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const shaped = issue.errors.find(
    (branch) => !branch.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
  );
  if (shaped === undefined || shaped.length === 0) return [issue];
  return shaped.flatMap((inner) => chosen({ ...inner, path: [...issue.path, ...inner.path] }));
}

const asItIs = (name: string): string => name;

function expected(known: readonly string[]): string {
  const [only = ''] = known;
  if (known.length <= 1) return `expected ${only}`;
  const more = known.length - MAX_LISTED;
  return `expected one of ${known.slice(0, MAX_LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function valueAt(value: unknown, path: Issue['path']): unknown {
  return path.reduce<unknown>((node, step) => {
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, step)) return undefined;
    return (node as Record<string | number, unknown>)[step]; // an own member, of an object or a list
  }, value);
}

/** A path in the form of Kubernetes: `spec.targets[0].weight`. */
export function formatPath(path: readonly (string | number)[]): string {
  return path.reduce<string>((out, part) => {
    if (typeof part === 'number') return `${out}[${part}]`;
    return out === '' ? part : `${out}.${part}`;
  }, '');
}
