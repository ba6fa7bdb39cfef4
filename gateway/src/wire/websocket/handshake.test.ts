import { describe, expect, test } from 'vitest';
import {
  acceptOf,
  asksForWebSocket,
  handshakeProblem,
  offeredProtocols,
  readAnswer,
  requestHeaders,
} from './handshake.ts';

const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
const reader = (headers: Readonly<Record<string, string>>) => ({ header: (name: string) => headers[name] });
const GOOD = { 'sec-websocket-version': '13', 'sec-websocket-key': KEY };

test('the answer to a key is that of RFC 6455, section 1.3', () => {
  expect(acceptOf(KEY)).toBe('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
});

test.for([
  { upgrade: 'websocket', want: true },
  { upgrade: 'h2c, WebSocket', want: true },
  { upgrade: 'h2c', want: false },
  { upgrade: 'websockets', want: false },
])('$upgrade asks for a WebSocket: $want', ({ upgrade, want }) => {
  expect(asksForWebSocket(reader({ upgrade }))).toBe(want);
});

describe('a request for a WebSocket', () => {
  test('may offer sub-protocols', () => {
    expect(handshakeProblem(reader({ ...GOOD, 'sec-websocket-protocol': 'a, b.c' }))).toBeUndefined();
    expect(offeredProtocols(' a,, b.c ')).toEqual(['a', 'b.c']);
  });

  test.for<{ headers: Readonly<Record<string, string>>; param: string }>([
    { headers: { ...GOOD, 'sec-websocket-version': '8' }, param: 'sec-websocket-version' },
    { headers: { ...GOOD, 'sec-websocket-key': 'short' }, param: 'sec-websocket-key' },
    { headers: { 'sec-websocket-version': '13' }, param: 'sec-websocket-key' },
    { headers: { ...GOOD, 'sec-websocket-protocol': 'a b' }, param: 'sec-websocket-protocol' },
    { headers: { ...GOOD, 'sec-websocket-protocol': 'a,'.repeat(17) }, param: 'sec-websocket-protocol' },
    { headers: { ...GOOD, 'sec-websocket-protocol': 'a'.repeat(4_097) }, param: 'sec-websocket-protocol' },
    { headers: { ...GOOD, 'content-length': '5' }, param: 'content-length' },
    { headers: { ...GOOD, 'transfer-encoding': 'chunked' }, param: 'content-length' },
  ])('is refused for its $param: $headers', ({ headers, param }) => {
    expect(handshakeProblem(reader(headers))?.param).toBe(param);
  });
});

describe('the answer of a provider', () => {
  const answer = { upgrade: 'websocket', 'sec-websocket-accept': acceptOf(KEY) };

  test('chooses one of the sub-protocols, or none', () => {
    expect(readAnswer(answer, KEY, ['a'])).toEqual({ ok: true, protocol: undefined });
    const chosen = { ...answer, 'sec-websocket-protocol': 'a' };
    expect(readAnswer(chosen, KEY, ['a', 'b'])).toEqual({ ok: true, protocol: 'a' });
    expect(requestHeaders(KEY, ['a', 'b'])['sec-websocket-protocol']).toBe('a, b');
  });

  test.for<{ rule: string; headers: Readonly<Record<string, string | string[]>> }>([
    { rule: 'another protocol', headers: { ...answer, upgrade: 'h2c' } },
    { rule: 'no proof', headers: { upgrade: 'websocket' } },
    { rule: 'a wrong proof', headers: { ...answer, 'sec-websocket-accept': KEY } },
    { rule: 'an extension', headers: { ...answer, 'sec-websocket-extensions': 'permessage-deflate' } },
    { rule: 'a sub-protocol that was not offered', headers: { ...answer, 'sec-websocket-protocol': 'c' } },
    { rule: 'two sub-protocols', headers: { ...answer, 'sec-websocket-protocol': ['a', 'b'] } },
  ])('is not taken with $rule', ({ headers }) => {
    expect(readAnswer(headers, KEY, ['a', 'b'])).toMatchObject({ ok: false });
  });
});
