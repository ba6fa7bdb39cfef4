/** What documents look like: those that read one have not written it. */
import { parseJson } from '../lib/parse-json.ts';
import { isObject } from '../lib/result.ts';
import type { LogContent } from './document.ts';

export type ContentKind = 'object' | 'text' | 'number' | 'true' | 'any';
type Kinds = ReadonlyMap<string, ContentKind>;

const WIRE = { headers: 'object', body: 'any', truncated: 'true' } as const;
const SHAPE = {
  request: { ...WIRE, url: 'text', method: 'text', gwHeaders: 'object' },
  response: { ...WIRE, status: 'number', responseTime: 'number', lastUsedOptionJsonPath: 'text' },
  finalUntransformedRequest: WIRE,
  transformedRequest: WIRE,
  originalResponse: WIRE,
} as const satisfies { [M in Exclude<keyof LogContent, 'hooks'>]-?: Members<NonNullable<LogContent[M]>> };

/** Every member has a kind. */
type Members<T> = { readonly [M in keyof T]-?: ContentKind };

/** Members of a document that are objects, with the kinds of their members. Others may be anything. */
export const CONTENT_SHAPE: ReadonlyMap<string, Kinds> = new Map(
  Object.entries(SHAPE).map(([name, kinds]) => [name, new Map<string, ContentKind>(Object.entries(kinds))]),
);

/** The content in a text of JSON; undefined: it is no JSON, or not of this shape. */
export function parseLogContent(text: string): LogContent | undefined {
  try {
    const content = parseJson(text);
    return isLogContent(content) ? content : undefined;
  } catch {
    return undefined;
  }
}

/** Whether each known member has its kind. Any of them may be absent, and there may be others. */
export function isLogContent(value: unknown): value is LogContent {
  return (
    isObject(value) && [...CONTENT_SHAPE].every(([name, kinds]) => isAbsent(value, name) || fits(value[name], kinds))
  );
}

const fits = (value: unknown, kinds: Kinds): boolean =>
  isObject(value) && [...kinds].every(([name, kind]) => isAbsent(value, name) || isOfKind(value[name], kind));

const isAbsent = (value: object, name: string): boolean => !Object.hasOwn(value, name);

function isOfKind(value: unknown, kind: ContentKind): boolean {
  switch (kind) {
    case 'object':
      return isObject(value);
    case 'text':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number';
    case 'true':
      return value === true;
    case 'any':
      return true;
  }
}
