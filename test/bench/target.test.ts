import { expect, test } from 'vitest';
import { requestBytes } from './target.ts';

test('a request has its length in bytes and the first key', () => {
  const target = { host: '127.0.0.1', port: 80, path: '/x', headers: { 'X-Key': 'k{key}' } };
  const lines = requestBytes(target, 'é').toString('utf8').split('\r\n');
  expect(lines[0]).toBe('POST /x HTTP/1.1');
  expect(lines).toEqual(expect.arrayContaining(['Host: 127.0.0.1:80', 'Content-Length: 2', 'X-Key: k1', 'é']));
});
