import { createHash } from 'node:crypto';
import { fakeRequest } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import type { KeyRecord } from '../../../snapshot/index.ts';
import type { Caller } from '../../exchange.ts';
import { clientHeaders, type Forwarding, forwardedHeaders, type HeaderSource } from './client-headers.ts';

const GATEWAY_KEY = 'a-key-that-does-not-say-so-0123456789';
const PADDED_KEY = 'cGFkZGVkIGtleXMgYXJlIGtleXM=';
const KEYS = new Set([GATEWAY_KEY, PADDED_KEY].map((key) => createHash('sha256').update(key).digest('hex')));
const source = (headers: Record<string, string>, keyHeaders: readonly string[] = []): HeaderSource => ({
  request: fakeRequest({ headers }),
  caller: { keyHeaders: new Set(keyHeaders) } as unknown as Caller, // only these members are used
  snapshot: {
    key: (sha256) => (KEYS.has(sha256) ? ({} as KeyRecord) : undefined), // as above
    issuer: () => undefined,
  },
});
/** Headers that contain a gateway key. */
const HOLDERS: Record<string, string> = {
  'x-bare': GATEWAY_KEY,
  'x-bearer': `Bearer ${GATEWAY_KEY}`,
  'x-basic': `Basic ${Buffer.from(`user:${GATEWAY_KEY}`).toString('base64')}`,
  'x-list': `a=1; key=${GATEWAY_KEY}; b=2`,
  'x-json': JSON.stringify({ key: GATEWAY_KEY }),
  'x-prefix': 'gwk_0123456789abcdef',
  'x-padded': `key=${PADDED_KEY};`,
  'x-behind-many': `${'word-of-sixteen-or-more '.repeat(200)}${GATEWAY_KEY}`,
};

describe('the headers of a proxied request', () => {
  const pass = (headers: Record<string, string>, keyHeaders?: readonly string[]) =>
    clientHeaders(source(headers, keyHeaders));

  test('are those of the client', () => {
    const headers = {
      accept: 'a',
      'content-type': 'text/plain',
      'x-other': 'o',
      'idempotency-key': 'i',
      range: 'bytes=0-',
    };
    expect(pass(headers)).toEqual(headers);
  });

  test.for([
    ...['host', 'connection', 'keep-alive', 'proxy-authorization', 'proxy-connection', 'te', 'trailer', 'upgrade'],
    ...['transfer-encoding', 'expect', 'content-length', 'x-gw-api-key', 'x-gw-config', 'via', 'forwarded'],
    ...['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'cf-connecting-ip', 'metadata', 'metadata-flavor'],
    ...['x-aws-ec2-metadata-token', 'cookie', 'authorization', 'api-key', 'x-api-key', 'x-goog-api-key'],
    ...['x-portkey-api-key', 'ocp-apim-subscription-key', 'x-amz-security-token', 'x-auth-token', 'x-vault-token'],
    ...['api_key', 'x_api_key', 'session', 'x-session', 'cf-access-jwt-assertion', 'x-goog-iap-jwt-assertion'],
    ...['x-amzn-oidc-data', 'x-portkey-virtual-key', 'x-portkey-config', 'x-client-cert', 'x-ssl-client-cert'],
    ...['forwarded-for', 'x-forwarded', 'x_forwarded_for', 'client-ip', 'metadata_flavor', 'x_gw_config'],
  ])('do not hold %s', (name) => {
    expect(pass({ [name]: 'v', 'x-other': 'o' })).toEqual({ 'x-other': 'o' });
  });

  test('do not hold what the connection names', () => {
    expect(pass({ connection: 'close, X-Mine', 'x-mine': '1', 'x-other': 'o' })).toEqual({ 'x-other': 'o' });
  });

  test('hold no gateway key, wherever it stands', () => {
    expect(pass({ ...HOLDERS, 'x-other': 'o' })).toEqual({ 'x-other': 'o' });
    expect(pass({ 'x-placeholder': 'p' }, ['x-placeholder'])).toEqual({});
  });

  test.for([
    { given: 'gzip, br, deflate', want: 'gzip, deflate' },
    { given: 'br;q=1.0, GZIP;q=0.5', want: 'GZIP;q=0.5' },
    { given: 'zstd', want: '' },
    { given: '*', want: '' },
    { given: 'identity', want: 'identity' },
  ])('accept $given as $want', ({ given, want }) => {
    expect(pass({ 'accept-encoding': given })).toEqual({ 'accept-encoding': want });
  });
});

describe('forwarded headers', () => {
  const headers = { 'x-a': '1', authorization: 'Bearer k', cookie: 'c', 'x-forwarded-for': 'f', ...HOLDERS };
  const forward = (names: string[], { credentials = true }: Partial<Forwarding> = {}, keyHeaders: string[] = []) =>
    forwardedHeaders(source(headers, keyHeaders), { names, credentials });

  test('are those that are named and there', () => {
    const { authorization, cookie } = headers;
    const want = { 'x-a': '1', authorization, cookie, 'x-forwarded-for': 'f' };
    expect(forward(['x-a', 'x-b', 'authorization', 'cookie', 'x-forwarded-for'])).toEqual(want);
    expect(forward([])).toEqual({});
  });

  test('are no credentials beside a stored one', () => {
    expect(forward(['authorization', 'cookie', 'x-a'], { credentials: false })).toEqual({ 'x-a': '1' });
  });

  test('are not those that carry a gateway key or nothing', () => {
    const given = { 'api-key': 'azure-key', 'x-goog-api-key': 'google-key', api_key: 'k', 'x-a': '1' };
    expect(forwardedHeaders(source(given), { names: Object.keys(given), credentials: true })).toEqual({ 'x-a': '1' });
  });

  test('never contain a gateway key, whichever header is named', () => {
    expect(forward([...Object.keys(HOLDERS), 'x-a'])).toEqual({ 'x-a': '1' });
    expect(forward(['authorization', 'x-a'], {}, ['authorization'])).toEqual({ 'x-a': '1' });
  });

  test('are never of the connection, what opens a metadata service, nor our own', () => {
    const given = {
      connection: 'x-mine',
      'x-mine': '1',
      'metadata-flavor': 'Google',
      metadata: 'true',
      'x-gw-trace-id': 't',
      te: 't',
    };
    expect(forwardedHeaders(source(given), { names: Object.keys(given), credentials: true })).toEqual({});
  });
});
