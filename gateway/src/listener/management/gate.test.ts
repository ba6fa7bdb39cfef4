import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { KeyLookup } from '../../pipeline/index.ts';
import type { KeyRecord } from '../../snapshot/index.ts';
import { refusalOf } from './gate.ts';

const NOW_MS = Date.UTC(2027, 0, 1);
const NEVER = Number.POSITIVE_INFINITY;

const record = (name: string, scopes: readonly string[], expiresAtMs = NEVER): KeyRecord =>
  ({ name, scopes: new Set(scopes), expiresAtMs }) as unknown as KeyRecord; // what is read of it
const KEYS: Readonly<Record<string, KeyRecord>> = {
  gwk_reader: record('reader', ['configs.list']),
  gwk_all: record('all', ['*']),
  gwk_old: record('old', ['*'], NOW_MS),
};
const byHash = new Map(
  Object.entries(KEYS).map(([key, value]) => [createHash('sha256').update(key).digest('hex'), value]),
);
const SNAPSHOT: KeyLookup = { key: (sha256) => byHash.get(sha256), issuer: () => undefined };

const refusal = (method: string, url: string, headers: IncomingHttpHeaders) => {
  const refused = refusalOf({ method, url, headers }, SNAPSHOT, NOW_MS);
  return refused === undefined ? 'passed on' : [refused.status, JSON.parse(refused.body).errorCode];
};
const keyed = (key: string): IncomingHttpHeaders => ({ 'x-gw-api-key': key });

describe('a call of the management API', () => {
  test.for([
    { rule: 'without a key', method: 'GET', url: '/v1/configs', headers: {}, want: [401, 'AB05'] },
    { rule: 'with an unknown key', method: 'GET', url: '/v1/configs', headers: keyed('gwk_no'), want: [401, 'AB05'] },
    {
      rule: 'with a key of another length than any',
      method: 'GET',
      url: '/v1/configs',
      headers: keyed('x'.repeat(5_000)),
      want: [401, 'AB05'],
    },
    { rule: 'with an expired key', method: 'GET', url: '/v1/configs', headers: keyed('gwk_old'), want: [401, 'AB05'] },
    {
      rule: 'without its scope',
      method: 'POST',
      url: '/v1/configs',
      headers: keyed('gwk_reader'),
      want: [403, 'AB03'],
    },
    {
      rule: 'with a cookie that is no session',
      method: 'GET',
      url: '/v1/configs',
      headers: { cookie: 'x__Host-gatehouse-session=a; other=gatehouse-session' },
      want: [401, 'AB05'],
    },
    {
      rule: 'with an unknown key beside a session',
      method: 'GET',
      url: '/v1/configs',
      headers: { ...keyed('gwk_no'), cookie: 'gatehouse-session=a' },
      want: [401, 'AB05'],
    },
    {
      rule: 'on another path',
      method: 'GET',
      url: '/v1/providers?x=1',
      headers: keyed('gwk_reader'),
      want: [403, 'AB03'],
    },
    {
      rule: 'on one object',
      method: 'GET',
      url: '/v1/configs/a%2Fb',
      headers: keyed('gwk_reader'),
      want: [403, 'AB03'],
    },
  ])('$rule is refused', ({ method, url, headers, want }) => {
    expect(refusal(method, url, headers)).toEqual(want);
  });

  test.for([
    { rule: 'with its scope', method: 'GET', url: '/v1/configs?page_size=1', headers: keyed('gwk_reader') },
    { rule: 'as HEAD', method: 'HEAD', url: '/v1/configs', headers: keyed('gwk_reader') },
    { rule: 'with all scopes', method: 'DELETE', url: '/v1/virtual-keys/x', headers: keyed('gwk_all') },
    { rule: 'of a browser that signs in', method: 'GET', url: '/v1/auth/callback?code=a', headers: {} },
    {
      rule: 'with a session',
      method: 'GET',
      url: '/v1/configs',
      headers: { cookie: 'a=b; __Host-gatehouse-session=c' },
    },
    { rule: 'as bearer', method: 'GET', url: '/v1/configs', headers: { authorization: 'bearer gwk_reader' } },
    {
      rule: 'of no operation that is known here',
      method: 'GET',
      url: '/v1/openapi.json',
      headers: keyed('gwk_reader'),
    },
  ])('$rule is passed on', ({ method, url, headers }) => {
    expect(refusal(method, url, headers)).toBe('passed on');
  });

  test('with a key of the organisation beside the credential of a provider is the one of that key', () => {
    expect(refusal('GET', '/v1/configs', { ...keyed('gwk_reader'), authorization: 'Bearer sk-other' })).toBe(
      'passed on',
    );
    expect(refusal('GET', '/v1/configs', { ...keyed('gwk_no'), authorization: 'Bearer gwk_all' })).toEqual([
      401,
      'AB05',
    ]);
  });
});
