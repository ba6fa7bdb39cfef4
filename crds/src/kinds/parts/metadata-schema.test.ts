import { describe, expect, test } from 'vitest';
import { metadataIssues, metadataSchemaIssues } from './metadata-schema.ts';

const SCHEMA = {
  type: 'object',
  required: ['team'],
  properties: {
    team: { type: 'string', enum: ['search', 'billing'] },
    cost_centre: { type: 'string', pattern: '^[0-9]{4}$' },
    stage: { type: 'string', minLength: 2, maxLength: 4 },
    owner: { type: 'string', const: 'platform' },
  },
  additionalProperties: true,
};

const messages = (metadata: Record<string, string>) =>
  metadataIssues(SCHEMA, metadata).map(({ path, message }) => [path.join('.'), message]);

describe('metadata', () => {
  test.for<{ rule: string; metadata: Record<string, string>; want: readonly (readonly unknown[])[] }>([
    { rule: 'with what is required', metadata: { team: 'search' }, want: [] },
    { rule: 'with more than the schema names', metadata: { team: 'search', any: 'x' }, want: [] },
    { rule: 'without a required member', metadata: {}, want: [['team', expect.stringContaining('is required')]] },
    {
      rule: 'with a value that is not listed',
      metadata: { team: 'sales' },
      want: [['team', expect.stringContaining('must be one of search, billing')]],
    },
    {
      rule: 'that does not match a pattern',
      metadata: { team: 'search', cost_centre: '12345' },
      want: [['cost_centre', expect.stringContaining('must match ^[0-9]{4}$')]],
    },
    { rule: 'of the length of code points', metadata: { team: 'search', stage: '🙂🙂🙂🙂' }, want: [] },
    {
      rule: 'that is too long',
      metadata: { team: 'search', stage: 'stage' },
      want: [['stage', expect.stringContaining('at most 4 characters')]],
    },
    {
      rule: 'other than a constant',
      metadata: { team: 'search', owner: 'me' },
      want: [['owner', expect.stringContaining('must be platform')]],
    },
    {
      rule: 'that only an object of all names would have',
      metadata: { team: 'search', constructor: 'x' },
      want: [],
    },
  ])('$rule', ({ metadata, want }) => {
    expect(messages(metadata)).toEqual(want);
  });
});

describe('a schema is refused', () => {
  test.for<{ rule: string; schema: unknown; path: string }>([
    { rule: 'that is no object', schema: ['x'], path: '' },
    { rule: 'of another type', schema: { type: 'array' }, path: 'type' },
    {
      rule: 'with members that are no texts',
      schema: { properties: { a: { type: 'number' } } },
      path: 'properties.a.type',
    },
    { rule: 'that refuses further members', schema: { additionalProperties: false }, path: 'additionalProperties' },
    { rule: 'with a keyword that is not served', schema: { allOf: [] }, path: 'allOf' },
    {
      rule: 'with a pattern that RE2 does not have',
      schema: { properties: { a: { type: 'string', pattern: '(?=x)' } } },
      path: 'properties.a.pattern',
    },
    {
      rule: 'with a pattern whose program is too large',
      schema: { properties: { a: { type: 'string', pattern: '(((a{99}){99}){99})' } } },
      path: 'properties.a.pattern',
    },
  ])('$rule', ({ schema, path }) => {
    expect(metadataSchemaIssues(schema).map((issue) => issue.path.join('.'))).toContain(path);
  });

  test('and nothing is checked against it', () => {
    expect(metadataIssues({ allOf: [] }, {})).toEqual([]);
  });
});
