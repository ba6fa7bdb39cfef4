import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Secret } from '../../../lib/secret.ts';
import type { OutgoingRequest } from '../../contract.ts';
import { signRequest } from './index.ts';

const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: new Secret('wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY') };
const NOW = Date.UTC(2015, 7, 30, 12, 36, 0);
const SUITE = { credentials: KEYS, region: 'us-east-1', service: 'service', nowMs: NOW };

const request = (over: Partial<OutgoingRequest> = {}): OutgoingRequest => ({
  method: 'GET',
  origin: 'https://example.amazonaws.com',
  path: '/',
  headers: {},
  body: undefined,
  ...over,
});

const signatureOf = ({ headers }: OutgoingRequest): string =>
  /Signature=([0-9a-f]{64})$/.exec(headers['authorization'] ?? '')?.[1] ?? '';

/** The signature by the letter of the documentation, from what goes over the wire. */
function recompute(signed: OutgoingRequest, secret: string, { doubleEncoded = true } = {}): string {
  const sha = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
  const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();
  const encode = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const authorization = signed.headers['authorization'] ?? '';
  const names = /SignedHeaders=([^,]*)/.exec(authorization)?.[1]?.split(';') ?? [];
  const scope = /Credential=[^/]*\/([^,]*)/.exec(authorization)?.[1] ?? '';
  const [path = '', query = ''] = signed.path.split('?');
  const canonicalQuery = query
    .split('&')
    .filter(Boolean)
    .map((pair) => pair.split('=').map((part) => encode(decodeURIComponent(part))))
    .map(([name = '', value = '']) => `${name}=${value}`)
    .sort()
    .join('&');
  const canonical = [
    signed.method,
    doubleEncoded ? path.split('/').map(encode).join('/') : path,
    canonicalQuery,
    ...names.map((name) => `${name}:${(signed.headers[name] ?? '').trim().replace(/\s+/g, ' ')}`),
    '',
    names.join(';'),
    signed.headers['x-amz-content-sha256'] ?? sha(signed.body ?? ''),
  ].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', signed.headers['x-amz-date'], scope, sha(canonical)].join('\n');
  const [date = '', region = '', service = ''] = scope.split('/');
  const key = [region, service, 'aws4_request'].reduce<Buffer>((k, part) => hmac(k, part), hmac(`AWS4${secret}`, date));
  return hmac(key, toSign).toString('hex');
}

describe('a signature', () => {
  // Source: the published Signature Version 4 test suite.
  test.for([
    { name: 'get-vanilla', over: {}, want: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31' },
    {
      name: 'get-vanilla-query-order-key-case',
      over: { path: '/?Param2=value2&Param1=value1' },
      want: 'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    },
    {
      name: 'get-vanilla-empty-query-key',
      over: { path: '/?Param1=value1' },
      want: 'a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb',
    },
    {
      name: 'get-unreserved',
      over: { path: '/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz' },
      want: '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f',
    },
    {
      name: 'post-vanilla',
      over: { method: 'POST' },
      want: '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
    },
    {
      name: 'post-x-www-form-urlencoded',
      over: {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: Buffer.from('Param1=value1'),
      },
      want: 'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    },
  ])('equals the one of the test suite for $name', async ({ over, want }) => {
    const signed = request(over);
    await signRequest(signed, SUITE);
    expect(signatureOf(signed)).toBe(want);
    expect(recompute(signed, KEYS.secretAccessKey.reveal())).toBe(want);
  });

  test.for([
    { rule: 'a model id with a colon', path: '/model/anthropic.claude-v2%3A1/invoke' },
    {
      rule: 'an ARN as one segment',
      path: '/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A1%3Ainference-profile%2Fx/converse',
    },
    { rule: 'a query with spaces and repeated names', path: '/a?q=a+b&q=a%20c&empty&z=%C3%BC' },
    { rule: 'characters that clients leave unencoded', path: "/a:b/c!d'(e)*?x=a:b" },
  ])('agrees with an independent computation for $rule', async ({ path }) => {
    const signed = request({ path, method: 'POST', body: Buffer.from('{"a":1}') });
    await signRequest(signed, SUITE);
    expect(signatureOf(signed)).toBe(recompute(signed, KEYS.secretAccessKey.reveal()));
  });

  test('agrees with an independent computation for any path, query and body', async () => {
    const part = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter((text) => !/^\.+$/.test(text));
    const property = fc.asyncProperty(
      fc.array(part, { minLength: 1, maxLength: 4 }),
      part,
      part,
      fc.string(),
      async (segments, name, value, body) => {
        const path = `/${segments.map(encodeURIComponent).join('/')}?${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
        const signed = request({ path, method: 'PUT', body: Buffer.from(body) });
        await signRequest(signed, SUITE);
        expect(signatureOf(signed)).toBe(recompute(signed, KEYS.secretAccessKey.reveal()));
      },
    );
    await fc.assert(property, { numRuns: 50 });
  });

  test('covers the Host header as it is sent, port included', async () => {
    const signed = request({ origin: 'http://localhost:4566' });
    await signRequest(signed, SUITE);
    expect(signed.headers['host']).toBe('localhost:4566');
    expect(signatureOf(signed)).toBe(recompute(signed, KEYS.secretAccessKey.reveal()));
  });

  test('encodes the path once for s3 and says the hash of the body', async () => {
    const signed = request({ path: '/bucket/a%20b%2Bc', method: 'PUT', body: Buffer.from('x') });
    await signRequest(signed, { ...SUITE, service: 's3' });
    expect(signed.headers['x-amz-content-sha256']).toBe(createHash('sha256').update('x').digest('hex'));
    expect(signatureOf(signed)).toBe(recompute(signed, KEYS.secretAccessKey.reveal(), { doubleEncoded: false }));
  });

  test('leaves the body out when it is sent as it comes', async () => {
    const signed = request({ method: 'PUT' });
    await signRequest(signed, { ...SUITE, unsignedPayload: true });
    expect(signed.headers['x-amz-content-sha256']).toBe('UNSIGNED-PAYLOAD');
    expect(signatureOf(signed)).toBe(recompute(signed, KEYS.secretAccessKey.reveal()));
  });

  test('carries the session token and covers it', async () => {
    const signed = request();
    await signRequest(signed, { ...SUITE, credentials: { ...KEYS, sessionToken: new Secret('token-1') } });
    expect(signed.headers['x-amz-security-token']).toBe('token-1');
    expect(signed.headers['authorization']).toContain('x-amz-security-token');
  });

  test('replaces what a client says in its headers and covers no header that proxies change', async () => {
    const signed = request({
      headers: {
        authorization: 'Bearer gateway-key',
        'x-amz-date': '20000101T000000Z',
        'x-amz-security-token': 'stolen',
        'x-amz-content-sha256': 'claimed',
        'user-agent': 'sdk',
        traceparent: '00-1',
        'x-amz-meta-owner': 'me',
      },
    });
    await signRequest(signed, SUITE);
    expect(signed.headers).toMatchObject({
      'x-amz-date': '20150830T123600Z',
      'user-agent': 'sdk',
      traceparent: '00-1',
    });
    expect(signed.headers).not.toHaveProperty('x-amz-security-token');
    expect(signed.headers).not.toHaveProperty('x-amz-content-sha256');
    expect(signed.headers['authorization']).toContain('SignedHeaders=host;x-amz-date;x-amz-meta-owner,');
  });

  test('does not climb: encoded dots stay as they are', async () => {
    const signed = request({ path: '/a/%2e%2e/b' });
    await signRequest(signed, SUITE);
    expect(signed.path).toBe('/a/%2e%2e/b');
  });

  test('is refused for a query of absurd length', async () => {
    const signed = request({ path: `/?${Array.from({ length: 600 }, (_, i) => `a${i}=1`).join('&')}` });
    await expect(signRequest(signed, SUITE)).rejects.toMatchObject({ code: 'PARAMETER_INVALID' });
  });
});
