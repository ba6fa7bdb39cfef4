import { fakeRequest } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import type { Caller } from '../exchange.ts';
import { clientHeaders, forwardedHeaders } from './proxy-headers.ts';

const caller = (...keyHeaders: string[]): Caller => ({ keyHeaders: new Set(keyHeaders) }) as unknown as Caller; // all that is looked at

describe('the headers of a proxied request', () => {
  const pass = (headers: Record<string, string>, by = caller('x-gw-api-key')) =>
    clientHeaders(fakeRequest({ headers }), by);

  test('are those of the client, without what ends at the gateway', () => {
    const ends = {
      host: 'h',
      connection: 'close',
      'keep-alive': '5',
      'proxy-authorization': 'p',
      te: 'trailers',
      trailer: 't',
      'transfer-encoding': 'chunked',
      upgrade: 'u',
      expect: '100-continue',
      'content-length': '3',
      'x-gw-api-key': 'k',
      'x-gw-config': '{}',
    };
    expect(pass({ ...ends, accept: 'a', cookie: 'c', 'content-type': 'text/plain' })).toEqual({
      accept: 'a',
      cookie: 'c',
      'content-type': 'text/plain',
    });
  });

  test('never hold the gateway key', () => {
    const headers = { authorization: 'Bearer k', 'x-api-key': 'k', 'x-other': 'o' };
    expect(pass(headers, caller('authorization', 'x-api-key'))).toEqual({ 'x-other': 'o' });
    expect(pass(headers)).toEqual(headers);
  });

  test.for([
    { given: 'gzip, br, deflate', want: 'gzip, deflate' },
    { given: 'br;q=1.0, gzip', want: 'gzip' },
    { given: 'BR', want: '' },
    { given: 'brotli', want: 'brotli' },
    { given: '*', want: '*' },
  ])('accept $given as $want', ({ given, want }) => {
    expect(pass({ 'accept-encoding': given })).toEqual({ 'accept-encoding': want });
  });
});

describe('forwarded headers', () => {
  const headers = { 'x-a': '1', authorization: 'Bearer k', 'metadata-flavor': 'Google', 'x-gw-trace-id': 't' };
  const forward = (names: string[], by = caller('x-gw-api-key')) =>
    forwardedHeaders(fakeRequest({ headers }), by, names);

  test('are those that are named and there', () => {
    expect(forward(['x-a', 'x-b', 'authorization'])).toEqual({ 'x-a': '1', authorization: 'Bearer k' });
    expect(forward([])).toEqual({});
  });

  test('are never the gateway key, whoever names it', () => {
    expect(forward(['authorization', 'x-a'], caller('authorization'))).toEqual({ 'x-a': '1' });
  });

  test('are never what opens a metadata service, nor our own', () => {
    expect(forward(['metadata-flavor', 'x-gw-trace-id'])).toEqual({});
  });
});
