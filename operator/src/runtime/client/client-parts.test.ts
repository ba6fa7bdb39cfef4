import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError, errorFromAnswer, hasReason, isExpired } from './api-error.ts';
import { createLineReader, LineTooLongError } from './json-lines.ts';
import { keyOf, nameOf, namespaceOf } from './objects.ts';
import { queryString, resourcePath } from './path.ts';

describe('a line reader', () => {
  const text = '{"a":"äöü€"}\n{"b":"😀"}\n\n{"c":3}\n';
  const bytes = Buffer.from(text);
  const want = ['{"a":"äöü€"}', '{"b":"😀"}', '{"c":3}'];

  test.for(Array.from(bytes, (_, at) => at))('gives the same lines when the bytes are split at %i', (at) => {
    const reader = createLineReader(100);
    expect([...reader.push(bytes.subarray(0, at)), ...reader.push(bytes.subarray(at))]).toEqual(want);
  });

  test('gives the lines of any text, however it is cut', () => {
    const anyText = fc.array(fc.string({ unit: 'grapheme' }).map((line) => line.replaceAll('\n', '')));
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 9 }), (lines, size) => {
        const reader = createLineReader(10_000);
        const all = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        const read: string[] = [];
        for (let at = 0; at < all.length; at += size) read.push(...reader.push(all.subarray(at, at + size)));
        expect(read).toEqual(lines.filter((line) => line !== ''));
      }),
    );
  });

  test('refuses a line that does not end within the limit, also in pieces', () => {
    const reader = createLineReader(4);
    expect(reader.push(Buffer.from('1234\n12'))).toEqual(['1234']);
    expect(() => reader.push(Buffer.from('345'))).toThrow(LineTooLongError);
  });
});

describe('a path', () => {
  const core = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
  const grouped = { group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', namespaced: true };
  const cluster = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };
  test.for([
    { rule: 'all namespaces', kind: core, place: {}, want: '/api/v1/pods' },
    { rule: 'one namespace', kind: grouped, place: { namespace: 'a' }, want: '/apis/apps/v1/namespaces/a/deployments' },
    { rule: 'an object', kind: core, place: { namespace: 'a', name: 'b' }, want: '/api/v1/namespaces/a/pods/b' },
    { rule: 'a cluster-scoped object', kind: cluster, place: { namespace: 'a', name: 'b' }, want: '/api/v1/nodes/b' },
    {
      rule: 'a subresource',
      kind: core,
      place: { namespace: 'a', name: 'b', subresource: 'status' },
      want: '/api/v1/namespaces/a/pods/b/status',
    },
    {
      rule: 'a name that is no name',
      kind: core,
      place: { namespace: '../x', name: '?' },
      want: '/api/v1/namespaces/..%2Fx/pods/%3F',
    },
  ])('leads to $rule', ({ kind, place, want }) => {
    expect(resourcePath(kind, place)).toBe(want);
  });

  test('has a query of what is given', () => {
    expect(queryString({ limit: 5, force: false, continue: '', fieldManager: undefined })).toBe('?limit=5&force=false');
    expect(queryString({})).toBe('');
  });
});

test('a key is a name and back', () => {
  for (const name of [{ name: 'a' }, { namespace: 'n', name: 'a' }]) expect(nameOf(keyOf(name))).toEqual(name);
  expect(namespaceOf('n/a')).toBe('n');
  expect(namespaceOf('a')).toBe('');
});

describe('an answer that is an error', () => {
  const status = (fields: object) => ({ kind: 'Status', ...fields });
  test.for([
    {
      rule: 'with a Status keeps its words',
      http: 409,
      body: status({ code: 409, reason: 'AlreadyExists', message: 'm' }),
      want: { status: 409, reason: 'AlreadyExists', message: 'm' },
    },
    {
      rule: 'in a watch has the code of the Status',
      http: 200,
      body: status({ code: 410, reason: 'Expired' }),
      want: { status: 410, reason: 'Expired' },
    },
    { rule: 'without a reason gets one', http: 410, body: status({}), want: { status: 410, reason: 'Expired' } },
    { rule: 'without a Status gets one', http: 503, body: undefined, want: { reason: 'ServiceUnavailable' } },
    {
      rule: 'of an unknown kind is named by its number',
      http: 418,
      body: 'x',
      want: { status: 418, reason: 'Unknown' },
    },
    {
      rule: 'says when to come again',
      http: 429,
      body: status({ details: { retryAfterSeconds: 2 } }),
      want: { retryAfterMs: 2_000 },
    },
    {
      rule: 'lists its causes and skips what is none',
      http: 422,
      body: status({ details: { causes: [{ reason: 'FieldValueInvalid', field: 'spec.x', message: 'm' }, 7] } }),
      want: { causes: [{ reason: 'FieldValueInvalid', field: 'spec.x', message: 'm' }] },
    },
  ])('$rule', ({ http, body, want }) => {
    expect(errorFromAnswer(http, body)).toMatchObject(want);
  });

  test('is distinguished by reason, and expiry by status', () => {
    const gone = new ApiError({ status: 410, reason: 'Gone', message: '' });
    expect(hasReason(gone, 'NotFound', 'Gone')).toBe(true);
    expect(hasReason(new Error('Gone'), 'Gone')).toBe(false);
    expect(isExpired(gone)).toBe(true);
  });
});
