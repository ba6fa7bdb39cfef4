import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, RequestTable } from '../contract.ts';
import { shapeBody, withoutPlaceholders } from './shape-body.ts';
import { sampleCall } from './testing.ts';

const TABLE: RequestTable = {
  rename: { max_completion_tokens: 'max_tokens', user: 'metadata.user_id', tier: 'metadata.tier' },
  drop: ['logit_bias'],
  clamp: {
    temperature: { min: 0, max: 1 },
    max_tokens: { min: 1 },
    max_completion_tokens: { min: 1 },
    logprobs: { max: 5 },
  },
  inject: { model: 'default-model', user: 'nobody' },
};

const BASE = { model: 'm', user: 'u' };
const SHAPED = { model: 'm', metadata: { user_id: 'u' } };

describe('a request table', () => {
  test.for<[rule: string, given: JsonObject, want: JsonObject]>([
    ['renames and nests', { ...BASE }, SHAPED],
    ['nests two members into one object', { ...BASE, tier: 1 }, { ...SHAPED, metadata: { user_id: 'u', tier: 1 } }],
    [
      'keeps what the client nested itself',
      { ...BASE, metadata: { a: 1 } },
      { model: 'm', metadata: { a: 1, user_id: 'u' } },
    ],
    [
      'lets the upstream name win over the renamed one',
      { ...BASE, max_completion_tokens: 9, max_tokens: 3 },
      { ...SHAPED, max_tokens: 3 },
    ],
    [
      'lets a renamed value win over null',
      { ...BASE, max_tokens: null, max_completion_tokens: 9 },
      { ...SHAPED, max_tokens: 9 },
    ],
    ['drops', { ...BASE, logit_bias: {} }, SHAPED],
    ['raises to the lower bound', { ...BASE, temperature: -1 }, { ...SHAPED, temperature: 0 }],
    ['lowers to the upper bound', { ...BASE, logprobs: 9 }, { ...SHAPED, logprobs: 5 }],
    ['clamps before it renames', { ...BASE, max_completion_tokens: 0 }, { ...SHAPED, max_tokens: 1 }],
    ['leaves what is no number alone', { ...BASE, temperature: '9' }, { ...SHAPED, temperature: '9' }],
    ['sends null on', { ...BASE, temperature: null }, { ...SHAPED, temperature: null }],
    ['forwards what it does not know', { ...BASE, brand_new: [1] }, { ...SHAPED, brand_new: [1] }],
    ['injects under the upstream name', {}, { model: 'default-model', metadata: { user_id: 'nobody' } }],
    ['replaces gw-default by the default', { model: 'gw-default', user: 'u' }, { ...SHAPED, model: 'default-model' }],
    ['leaves gw-default without a default out', { ...BASE, temperature: 'gw-default' }, SHAPED],
  ])('%s', ([, given, want]) => {
    const before = structuredClone(given);
    expect(shapeBody(TABLE, given)).toEqual(want);
    expect(given, 'the client body is untouched').toEqual(before);
  });

  test.for([
    [-1, 0],
    [2, 1],
    [0.5, 0.5],
  ])('clamps %s to %s also when nothing else changes', ([given, want]) => {
    expect(shapeBody({ clamp: { temperature: { min: 0, max: 1 } } }, { temperature: given })).toEqual({
      temperature: want,
    });
  });

  test('forwards only what is named when it says so', () => {
    expect(shapeBody({ only: ['input'] }, { input: 1, model: 2 })).toEqual({ input: 1 });
  });

  test('keeps a member called __proto__ an own member', () => {
    const given = JSON.parse('{"__proto__":{"polluted":true},"user":"u","model":"m"}') as JsonObject;
    const shaped = shapeBody(TABLE, given);
    expect(JSON.stringify(shaped)).toContain('"__proto__":{"polluted":true}');
    expect('polluted' in shaped).toBe(false);
  });

  test('runs hooks before the table, with the call', () => {
    const table: RequestTable = {
      drop: ['gone'],
      hooks: [(params, call) => ({ ...params, gone: 1, kept: call.model })],
    };
    expect(shapeBody(table, { a: 1 }, sampleCall({ model: 'm9' }))).toEqual({ a: 1, kept: 'm9' });
  });

  test('gives the same object back when it has nothing to do, for any body', () => {
    const table: RequestTable = {
      rename: { a: 'b' },
      drop: ['c'],
      clamp: { d: { min: 0, max: 1 } },
      hooks: [(params) => params],
    };
    const key = fc.string().filter((name) => !['a', 'c'].includes(name));
    const value = fc.jsonValue().filter((given) => typeof given !== 'number' && given !== 'gw-default');
    fc.assert(
      fc.property(fc.dictionary(key, value), (body) => {
        expect(shapeBody(table, body, sampleCall())).toBe(body);
      }),
    );
  });

  test('never sends a number beyond its bounds', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), (temperature) => {
        const sent = shapeBody(TABLE, { ...BASE, temperature })['temperature'];
        expect(sent).toBeGreaterThanOrEqual(0);
        expect(sent).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('placeholders', () => {
  test('never reach a writer', () => {
    expect(withoutPlaceholders({ model: 'm', temperature: 'gw-default' })).toEqual({ model: 'm' });
    const untouched = { model: 'm' };
    expect(withoutPlaceholders(untouched)).toBe(untouched);
  });
});
