import { describe, expect, test } from 'vitest';
import { takesAll, taking } from '../../wire/params/params.ts';
import type { Endpoint, JsonObject, RequestRule, RequestTable } from '../contract.ts';
import { compileDropped, saysParam } from './dropped-params.ts';
import { sampleCall } from './testing.ts';

const endpoint = (request: RequestRule): Endpoint => ({
  method: 'POST',
  path: '/x',
  request,
  answer: { kind: 'relay' },
});
const droppedBy = (request: RequestRule, params: JsonObject): readonly string[] =>
  compileDropped(endpoint(request))?.(sampleCall({ params })) ?? [];
const table = (given: RequestTable): RequestRule => ({ kind: 'table', table: given });
const WRITER: RequestRule = {
  kind: 'write',
  takes: () => taking(['model'], { size: (value) => value === 'small' }),
  write: () => ({ ok: true, value: {} }),
};

describe('the parameters that a body leaves out', () => {
  test.for<{ rule: string; request: RequestRule; params: JsonObject; want: string[] }>([
    { rule: 'are those its table drops', request: table({ drop: ['a'] }), params: { a: 1, b: 1 }, want: ['a'] },
    { rule: 'are those its table does not list', request: table({ only: ['b'] }), params: { a: 1, b: 1 }, want: ['a'] },
    {
      rule: 'are not those that go elsewhere',
      request: table({ drop: ['a', 'c'], elsewhere: ['a'] }),
      params: { a: 1, c: 1 },
      want: ['c'],
    },
    {
      rule: 'are those its writer does not know, and values that it cannot say',
      request: WRITER,
      params: { model: 'm', size: 'large', b: 1 },
      want: ['size', 'b'],
    },
    { rule: 'are none of the values it can say', request: WRITER, params: { size: 'small' }, want: [] },
    {
      rule: 'are none that ask for nothing',
      request: WRITER,
      params: { a: null, b: '', c: [], d: {}, e: 'gw-default', n: 1, seed: undefined },
      want: [],
    },
    {
      rule: 'are none that the gateway does itself',
      request: WRITER,
      params: { stream: true, stream_options: { include_usage: true } },
      want: [],
    },
    {
      rule: 'are those whose value is not the default',
      request: WRITER,
      params: { n: 2, logprobs: true, response_format: { type: 'json_object' }, modalities: ['text', 'audio'] },
      want: ['n', 'logprobs', 'response_format', 'modalities'],
    },
    {
      rule: 'are named as a header may have them',
      request: WRITER,
      params: { 'a b\r\nc': 1, '\ud800': 1, ['x'.repeat(100)]: 1 },
      want: ['a%20b%0D%0Ac', '%EF%BF%BD', 'x'.repeat(64)],
    },
  ])('$rule', ({ request, params, want }) => {
    expect(droppedBy(request, params)).toEqual(want);
  });

  test('are named up to 32', () => {
    const params = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`p${i}`, 1]));
    expect(droppedBy(WRITER, params)).toHaveLength(32);
  });

  test.for<RequestRule>([table({}), table({ rename: { a: 'b' }, inject: { c: 1 } }), { kind: 'none' }])(
    'are not looked for where there are none: %o',
    (request) => {
      expect(compileDropped(endpoint(request))).toBeUndefined();
    },
  );
});

test.for<{ rule: string; request: RequestRule; lacks?: string[]; want: boolean | undefined }>([
  { rule: 'does not say what its writer does not take', request: WRITER, want: false },
  { rule: 'says what its writer names', request: { ...WRITER, takes: () => taking(['a']) }, want: true },
  { rule: 'passes what its writer takes as anything', request: { ...WRITER, takes: () => takesAll }, want: undefined },
  { rule: 'passes what its table has no rule for', request: table({ drop: ['b'] }), want: undefined },
  { rule: 'does not say what its table drops', request: table({ drop: ['a'] }), want: false },
  { rule: 'says what its table lists', request: table({ only: ['a'] }), want: true },
  { rule: 'does not say what its table does not list', request: table({ only: ['b'] }), want: false },
  { rule: 'does not say what the upstream refuses', request: table({}), lacks: ['a'], want: false },
  { rule: 'without a body has no rule', request: { kind: 'none' }, want: undefined },
])('an endpoint $rule', ({ request, lacks, want }) => {
  expect(saysParam({ ...endpoint(request), ...(lacks && { lacks }) }, 'a', sampleCall())).toBe(want);
});
