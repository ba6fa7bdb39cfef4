import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memberOf } from './splice.ts';
import { createSseRelay, type SseRelayOptions } from './sse-relay.ts';

const member = memberOf('provider', 'groq');

const run = (pieces: readonly Buffer[], options: SseRelayOptions): string => {
  const relay = createSseRelay(options);
  return Buffer.concat([...pieces.map((piece) => relay.push(piece)), relay.end()]).toString();
};
const whole = (text: string, options: SseRelayOptions): string => run([Buffer.from(text)], options);

const DONE = 'data: [DONE]\n\n';

describe('the terminator', () => {
  test.for([
    ['is kept', `data: {}\n\n${DONE}`, `data: {}\n\n${DONE}`],
    ['is added', 'data: {}\n\n', `data: {}\n\n${DONE}`],
    ['is added to nothing', '', DONE],
    ['comes after the end of an event that has none', 'data: {}', `data: {}\n\n${DONE}`],
    ['comes after a blank line, which one line end is not', 'data: {}\n', `data: {}\n\n\n${DONE}`],
    ['comes after a blank line of CRLF', 'data: {}\r\n\r\n', `data: {}\r\n\r\n${DONE}`],
    ['comes after a blank line, which one CRLF is not', 'data: {}\r\n', `data: {}\r\n\n\n${DONE}`],
    ['comes after a blank line of CR', 'data: {}\r\r', `data: {}\r\r${DONE}`],
    ['is known without its space', 'data:[DONE]\n\n', 'data:[DONE]\n\n'],
    ['is known with CRLF', 'data: [DONE]\r\n\r\n', 'data: [DONE]\r\n\r\n'],
    ['gets the blank line it lacks', 'data: [DONE]', 'data: [DONE]\n\n'],
    ['is not what a model says', 'data: {"content":"data: [DONE]"}\n\n', `data: {"content":"data: [DONE]"}\n\n${DONE}`],
    ['is kept when a comment follows', `${DONE}: bye\n\n`, `${DONE}: bye\n\n`],
  ] as const)('%s', ([, given, want]) => {
    expect(whole(given, { terminated: true })).toBe(want);
  });

  test('is found when it comes byte by byte after a long stream', () => {
    const text = `data: {"a":"${'x'.repeat(500)}"}\n\n${DONE}`;
    expect(
      run(
        [...Buffer.from(text)].map((byte) => Buffer.from([byte])),
        { terminated: true },
      ),
    ).toBe(text);
  });

  test('is not added to other formats', () => {
    expect(whole('event: a\ndata: {}\n\n', { terminated: false })).toBe('event: a\ndata: {}\n\n');
  });
});

describe('tagged chunks', () => {
  test.for([
    ['gain the member', 'data: {"a":1}\n\n', 'data: {"a":1,"provider":"groq"}\n\n'],
    ['keep their line ends', 'data:{"a":1}\r\n\r\n', 'data:{"a":1,"provider":"groq"}\r\n\r\n'],
    ['may be ended by CR', 'data: {"a":1}\r\r', 'data: {"a":1,"provider":"groq"}\r\r'],
    ['may be unended', 'data: {"a":1}', 'data: {"a":1,"provider":"groq"}'],
    [
      'lie beside other lines',
      ': ping\nevent: x\nid: 1\ndata: {}\n\n',
      ': ping\nevent: x\nid: 1\ndata: {"provider":"groq"}\n\n',
    ],
    [
      'are objects only',
      'data: [1]\n\ndata: "{}"\n\ndata: x\n\ndata:\n\n',
      'data: [1]\n\ndata: "{}"\n\ndata: x\n\ndata:\n\n',
    ],
    ['have one provider', 'data: {"provider":"x"}\n\n', 'data: {"provider":"groq"}\n\n'],
  ] as const)('%s', ([, given, want]) => {
    const bytes = Buffer.from(given);
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(run([bytes.subarray(0, at), bytes.subarray(at)], { member, terminated: false })).toBe(want);
    }
  });

  test('are sent as soon as their line is whole', () => {
    const relay = createSseRelay({ member, terminated: true });
    expect(relay.push(Buffer.from('data: {"a"')).toString()).toBe('');
    expect(relay.push(Buffer.from(':1}\ndata: {')).toString()).toBe('data: {"a":1,"provider":"groq"}\n');
  });

  test('are the same for any cutting', () => {
    const text = 'data: {"text":"grüße 😀"}\n\n: x\n\ndata: {"b":[{}]}\r\n\r\n';
    const bytes = Buffer.from(text);
    const want = whole(text, { member, terminated: true });
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const pieces = at.slice(1).map((end, i) => bytes.subarray(at[i], end));
        expect(run(pieces, { member, terminated: true })).toBe(want);
      }),
    );
  });

  test('end the stream when a line never ends', () => {
    const relay = createSseRelay({ member, terminated: true });
    const megabyte = Buffer.alloc(1024 * 1024, 'a');
    expect(() => {
      for (let i = 0; i < 9; i += 1) relay.push(megabyte);
    }).toThrow(expect.objectContaining({ code: 'UPSTREAM_STREAM_BROKEN' }));
  });
});
