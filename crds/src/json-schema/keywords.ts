/** Keywords of JSON Schema 2020-12 and what may stand there: https://json-schema.org/draft/2020-12. Others are annotations. */
import { isObject } from '../lib/result.ts';
import { patternProblem } from '../patterns/index.ts';

export type Schema = boolean | SchemaObject;
export type SchemaObject = Readonly<Record<string, unknown>>;

/** Where the schemas of a keyword are in its value. */
export type Nesting = 'value' | 'list' | 'members';

interface Keyword {
  /** What is wrong with the value apart from schemas in it. */
  problem?(value: unknown): string | undefined;
  /** It holds schemas. */
  readonly nesting?: Nesting;
  /** The names of its members are patterns. */
  readonly namesPatterns?: true;
}

const TYPES: readonly unknown[] = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'];
const ANCHOR = /^[A-Za-z_][-A-Za-z0-9._]*$/;

export const isSchema = (value: unknown): value is Schema => typeof value === 'boolean' || isObject(value);

const expects =
  (what: string, is: (value: unknown) => boolean): NonNullable<Keyword['problem']> =>
  (value) =>
    is(value) ? undefined : `expected ${what}`;

const isNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((name) => typeof name === 'string') && new Set(value).size === value.length;

const number: Keyword = { problem: expects('a number', (value) => typeof value === 'number') };
const count: Keyword = {
  problem: expects('a whole number that is not negative', (value) => Number.isInteger(value) && Number(value) >= 0),
};
const text: Keyword = { problem: expects('a text', (value) => typeof value === 'string') };
const flag: Keyword = { problem: expects('true or false', (value) => typeof value === 'boolean') };
const anchor: Keyword = {
  problem: expects('a name of letters, digits, -, _ and .', (value) => typeof value === 'string' && ANCHOR.test(value)),
};
const schema: Keyword = { nesting: 'value' };
const schemas: Keyword = {
  problem: expects('a list of schemas that is not empty', (value) => Array.isArray(value) && value.length > 0),
  nesting: 'list',
};
const schemaMap: Keyword = { problem: expects('an object of schemas', isObject), nesting: 'members' };

export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['$id', text],
  ['$schema', text],
  ['$ref', text],
  ['$dynamicRef', text],
  ['$anchor', anchor],
  ['$dynamicAnchor', anchor],
  ['$defs', schemaMap],
  ['definitions', schemaMap],
  ['allOf', schemas],
  ['anyOf', schemas],
  ['oneOf', schemas],
  ['not', schema],
  ['if', schema],
  ['then', schema],
  ['else', schema],
  ['dependentSchemas', schemaMap],
  ['prefixItems', schemas],
  ['items', { ...schema, problem: (value) => (Array.isArray(value) ? 'a list of schemas is prefixItems' : undefined) }],
  ['contains', schema],
  ['properties', schemaMap],
  ['patternProperties', { ...schemaMap, namesPatterns: true }],
  ['additionalProperties', schema],
  ['propertyNames', schema],
  ['unevaluatedItems', schema],
  ['unevaluatedProperties', schema],
  [
    'type',
    {
      problem: expects(
        `one or several of ${TYPES.join(', ')}`,
        (value) =>
          TYPES.includes(value) ||
          (isNames(value) && [value].flat().length > 0 && [value].flat().every((type) => TYPES.includes(type))),
      ),
    },
  ],
  ['enum', { problem: expects('a list', Array.isArray) }],
  ['const', {}],
  ['multipleOf', { problem: expects('a number above 0', (value) => typeof value === 'number' && value > 0) }],
  ['maximum', number],
  ['exclusiveMaximum', number],
  ['minimum', number],
  ['exclusiveMinimum', number],
  ['maxLength', count],
  ['minLength', count],
  ['pattern', { problem: patternProblem }],
  ['maxItems', count],
  ['minItems', count],
  ['uniqueItems', flag],
  ['maxContains', count],
  ['minContains', count],
  ['maxProperties', count],
  ['minProperties', count],
  ['required', { problem: expects('a list of different names', isNames) }],
  [
    'dependentRequired',
    {
      problem: expects(
        'an object of lists of names',
        (value) => isObject(value) && Object.values(value).every((names) => isNames(names)),
      ),
    },
  ],
  ['format', text],
  ['dependencies', { problem: () => 'write dependentRequired or dependentSchemas' }],
  ['$recursiveRef', { problem: () => 'write $dynamicRef' }],
]);
