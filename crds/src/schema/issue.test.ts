import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { formatPath, fromZodError } from './issue.ts';

describe('a field path', () => {
  test.for([
    { path: [], want: '' },
    { path: ['spec'], want: 'spec' },
    { path: ['spec', 'targets', 0, 'weight'], want: 'spec.targets[0].weight' },
    { path: [0, 1, 'a'], want: '[0][1].a' },
  ])('$want is written as Kubernetes does', ({ path, want }) => {
    expect(formatPath(path)).toBe(want);
  });

  test('of an unknown member points at the member', () => {
    const paths = issuesOf(z.strictObject({ a: z.strictObject({}) }), { a: { x: 1, y: 2 }, b: 3 });
    expect(paths.map(({ path }) => formatPath(path)).toSorted()).toEqual(['a.x', 'a.y', 'b']);
  });
});

function issuesOf(schema: z.ZodType, value: unknown, spell?: (name: string) => string) {
  const { error } = schema.safeParse(value);
  return error === undefined ? [] : fromZodError(error, { schema, value, ...(spell === undefined ? {} : { spell }) });
}

const SHAPE = z.strictObject({
  colour: z
    .enum(['crimson', 'ultramarine', 'turquoise', 'ochre', 'umber', 'sienna', 'indigo', 'violet', 'teal'])
    .optional(),
  mode: z.enum(['on', 'off']).default('on'),
  version: z.literal('v1').optional(),
  parts: z.array(z.strictObject({ maxAge: z.int() })).optional(),
});

describe('a wrong name', () => {
  test.for<{ rule: string; value: unknown; want: string }>([
    {
      rule: 'near a value',
      value: { colour: 'ultramarin' },
      want: 'unknown value ultramarin; did you mean ultramarine?',
    },
    {
      rule: 'near no value is not shown, and few of many values are',
      value: { colour: 'sk-0123456789' },
      want: 'expected one of crimson, ultramarine, turquoise, ochre, umber, sienna, indigo, violet and 1 more',
    },
    {
      rule: 'near one of a few values',
      value: { mode: 'offf' },
      want: 'expected one of on, off; did you mean off?',
    },
    { rule: 'where there are two', value: { mode: 'never' }, want: 'expected one of on, off' },
    { rule: 'of another type', value: { mode: 3 }, want: 'expected one of on, off' },
    { rule: 'where there is one', value: { version: 'v2' }, want: 'expected v1' },
    { rule: 'near a member', value: { colours: 'ochre' }, want: 'unknown field; did you mean colour?' },
    {
      rule: 'near a member of a list',
      value: { parts: [{ maxAge: 1, maxage: 1 }] },
      want: 'unknown field; did you mean maxAge?',
    },
    { rule: 'near no member', value: { constructor: 1 }, want: 'unknown field' },
  ])('$rule', ({ value, want }) => {
    expect(issuesOf(SHAPE, value).map(({ message }) => message)).toEqual([want]);
  });

  test.for<{ value: unknown; path: string; want: string }>([
    { value: { type: 'token' }, path: 'limit.type', want: 'expected one of cost, tokens; did you mean tokens?' },
    { value: [{ type: 'cost' }, { type: 3 }], path: 'limit[1].type', want: 'expected one of cost, tokens' },
    { value: { typ: 'cost' }, path: 'limit.typ', want: 'unknown field; did you mean type?' },
    { value: [{ typ: 'cost' }], path: 'limit[0].typ', want: 'unknown field; did you mean type?' },
    { value: 'cost', path: 'limit', want: 'Invalid input' },
  ])('in a union is that of the form that the value has: $value', ({ value, path, want }) => {
    const one = z.strictObject({ type: z.enum(['cost', 'tokens']).optional() });
    const schema = z.strictObject({ limit: z.union([one, z.array(one)]).nullable() });
    expect(issuesOf(schema, { limit: value }).map((issue) => [formatPath(issue.path), issue.message])).toEqual([
      [path, want],
    ]);
  });

  test('is corrected in the spelling of the document', () => {
    const [issue] = issuesOf(SHAPE, { parts: [{ maxAge: 1, max_agee: 1 }] }, () => 'max_age');
    expect(issue?.message).toBe('unknown field; did you mean max_age?');
  });
});
