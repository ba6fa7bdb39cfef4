import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../errors/index.ts';
import type { StreamDecoder, StreamItem } from '../contract.ts';
import { createFrameReader } from '../framing/index.ts';
import { createSseRelay, memberOf } from '../openai/index.ts';
import {
  type ByteTransform,
  createDecodeTransform,
  createEncoder,
  createRelayTransform,
  type StreamProtocol,
} from './index.ts';

const PROTOCOLS: readonly StreamProtocol[] = ['chat', 'completion', 'messages', 'responses', 'events'];
const BROKEN = new AppError('UPSTREAM_STREAM_BROKEN');

const bytesOf = (piece: Buffer | string | undefined): Buffer =>
  piece === undefined ? Buffer.alloc(0) : Buffer.from(piece as string);

/** Everything a transform sends for the pieces, ended properly or with an error. */
function run(transform: ByteTransform, pieces: readonly Uint8Array[], error?: AppError): Buffer {
  const out = pieces.map((piece) => bytesOf(transform.push(Buffer.from(piece))));
  return Buffer.concat([...out, bytesOf(error === undefined ? transform.end() : transform.fail(error))]);
}

/** The text cut at the given places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, i) => bytes.subarray(from, at[i] ?? bytes.length));
}

/** The events a client would see: data of blocks that are whole. */
const seen = (text: string): string[] =>
  text
    .split(/\r\n\r\n|\n\n|\r\r/)
    .slice(0, -1)
    .flatMap((block) => {
      const data = block.split(/\r\n|\n|\r/).filter((line) => line.startsWith('data:'));
      return data.length === 0 ? [] : [data.map((line) => line.slice(5).trimStart()).join('\n')];
    });

const CHAT = [
  'data: {"id":"1","choices":[{"index":0,"delta":{"content":"Grüße "}}],"usage":null}\n\n',
  ': keep-alive\n\n',
  'data: {"id":"1","choices":[{"index":0,"delta":{"content":"☃"}}],"usage":null}\r\n\r\n',
  'data: {"id":"1","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":6}}\n\n',
  'data: [DONE]\n\n',
].join('');

describe('a relay', () => {
  test.for(PROTOCOLS)('of %s passes bytes on, at every split point', (protocol) => {
    const bytes = Buffer.from(CHAT);
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(run(createRelayTransform(protocol), cut(bytes, [at])).equals(bytes)).toBe(true);
    }
  });

  test('passes any bytes on in any pieces, also those that are no events', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...PROTOCOLS),
        fc.array(
          fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.constantFrom('\n\n', '\r\n', 'data: x').map(Buffer.from)),
        ),
        (protocol, pieces) => {
          expect(run(createRelayTransform(protocol), pieces).equals(Buffer.concat(pieces))).toBe(true);
        },
      ),
    );
  });

  test('holds no whole event', () => {
    for (const end of ['\n\n', '\r\n\r\n', '\r\r']) {
      const event = Buffer.from(`data: {"a":1}${end}`);
      for (const protocol of PROTOCOLS) {
        const relay = createRelayTransform(protocol);
        expect(bytesOf(relay.push(event)).equals(event), protocol).toBe(true);
        const half = Buffer.concat([event, Buffer.from('data: {"b"')]);
        expect(bytesOf(relay.push(half)).equals(event), protocol).toBe(true);
      }
    }
  });

  test('holds no line of a stream in an unknown format', () => {
    expect(bytesOf(createRelayTransform('events').push(Buffer.from('{"a":1}\n{"b"'))).toString()).toBe('{"a":1}\n');
  });

  test('passes on an event that is too long to be held', () => {
    const relay = createRelayTransform('chat');
    let sent = 0;
    for (let i = 0; i < 20; i += 1) sent += bytesOf(relay.push(Buffer.alloc(10_000, 'x'))).length;
    expect(sent).toBeGreaterThan(100_000);
  });

  test.for(PROTOCOLS)('of %s that breaks anywhere ends in whole events, the last one an error', (protocol) => {
    const bytes = Buffer.from(
      'event: response.created\ndata: {"sequence_number":0,"response":{"id":"resp_1"}}\n\n' +
        'event: response.delta\ndata: {"sequence_number":1,"delta":"x"}\n\n',
    );
    for (let at = 0; at <= bytes.length; at += 1) {
      const events = seen(run(createRelayTransform(protocol), [bytes.subarray(0, at)], BROKEN).toString());
      const parsed = events.map((data) => JSON.parse(data));
      const last = parsed.at(-1);
      const error = protocol === 'responses' ? last.response.error : last.error;
      expect(error).toMatchObject({ message: expect.any(String) });
      expect(parsed.slice(0, -1).every((event) => 'sequence_number' in event)).toBe(true);
      if (protocol === 'responses') expect(last.sequence_number).toBe(parsed.length - 1);
    }
  });

  test.for<{ protocol: StreamProtocol; want: RegExp }>([
    {
      protocol: 'chat',
      want: /^data: \{"error":\{"message":".+","type":"stream_error","param":null,"code":null\}\}\n\n$/,
    },
    { protocol: 'completion', want: /^data: \{"error":\{/ },
    { protocol: 'events', want: /^data: \{"error":\{/ },
    {
      protocol: 'messages',
      want: /^event: error\ndata: \{"type":"error","error":\{"type":"stream_error","message":".+"\}\}\n\n$/,
    },
    { protocol: 'responses', want: /^event: response\.failed\ndata: \{"type":"response\.failed","sequence_number":0,/ },
  ])('of $protocol that breaks ends in an error event of that format, without [DONE]', ({ protocol, want }) => {
    const event = createRelayTransform(protocol).fail(BROKEN);
    expect(event).toMatch(want);
    expect(event).not.toContain('[DONE]');
  });

  test('knows the usage of its stream once it is over', () => {
    const relay = createRelayTransform('chat');
    run(relay, cut(Buffer.from(CHAT), [7, 90, 200]));
    expect(relay.report().usage).toMatchObject({ input: 5, output: 6 });
    const long = createRelayTransform('chat');
    run(long, [Buffer.alloc(200_000, ': padding\n\n'), Buffer.from(CHAT)]);
    expect(long.report().usage).toMatchObject({ output: 6 });
    expect(createRelayTransform('chat').report()).toMatchObject({ usage: undefined, model: undefined });
  });

  test('knows the model of its stream from the first event that names it', () => {
    const relay = createRelayTransform('chat');
    run(relay, cut(Buffer.from('data: {"id":"1","model":"m-2025","choices":[]}\n\ndata: {"model":"n"}\n\n'), [20]));
    expect(relay.report().model).toBe('m-2025');
  });

  test('knows the usage wherever the kept end of the stream begins anew', () => {
    for (let filler = 16_000; filler < 17_000; filler += 7) {
      const relay = createRelayTransform('chat');
      run(relay, cut(Buffer.concat([Buffer.alloc(filler, ': padding\n\n'), Buffer.from(CHAT)]), [9_000, 15_000]));
      expect(relay.report().usage, `after ${filler} bytes`).toMatchObject({ input: 5, output: 6 });
    }
  });
});

describe('a relay that tags', () => {
  const tagging = (): ByteTransform =>
    createRelayTransform('chat', { relay: createSseRelay({ terminated: true, member: memberOf('provider', 'p') }) });

  test('adds the member to every event, at every split point', () => {
    const bytes = Buffer.from(CHAT);
    const whole = run(tagging(), [bytes]).toString();
    expect(seen(whole).filter((data) => data.includes('"provider":"p"'))).toHaveLength(3);
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(run(tagging(), cut(bytes, [at])).toString()).toBe(whole);
    }
  });

  test('terminates a stream that the upstream forgot to terminate', () => {
    const text = run(tagging(), [Buffer.from('data: {"a":1}\n\n')]).toString();
    expect(text).toBe('data: {"a":1,"provider":"p"}\n\ndata: [DONE]\n\n');
  });
});

/** Every frame is a chunk, but for `usage:N` and `error:TEXT`; `finish` ends a choice. */
function plainDecoder(): StreamDecoder {
  const toItem = (data: string): StreamItem => {
    const [kind = '', value = ''] = data.split(':');
    const count = Number(value);
    if (kind === 'usage')
      return { kind, usage: { prompt_tokens: count, completion_tokens: count, total_tokens: 2 * count } };
    if (kind === 'error') return { kind, error: { message: value, type: 't', param: null, code: null } };
    const choice = data === 'finish' ? { text: '', finish_reason: 'stop' } : { text: data };
    return { kind: 'chunk', data: { id: 'x', choices: [choice] }, event: 'piece' };
  };
  return { push: ({ data }) => [toItem(data)], end: () => [] };
}

const decode = (protocol: StreamProtocol, includeUsage = false): ByteTransform =>
  createDecodeTransform({
    reader: createFrameReader('sse'),
    decoder: plainDecoder(),
    encoder: createEncoder(protocol, { provider: 'p', includeUsage }),
  });
const framed = (...frames: string[]): Buffer => Buffer.from(frames.map((data) => `data: ${data}\n\n`).join(''));

describe('a decoded stream', () => {
  test('is the same at every split point', () => {
    const bytes = framed('a', 'ü☃', 'usage:2', 'b');
    for (const protocol of PROTOCOLS) {
      const whole = run(decode(protocol, true), [bytes]).toString();
      for (let at = 0; at <= bytes.length; at += 1)
        expect(run(decode(protocol, true), cut(bytes, [at])).toString()).toBe(whole);
    }
  });

  test('of chat has its usage in a chunk of its own, when it was asked for', () => {
    const asked = seen(run(decode('chat', true), [framed('a', 'usage:1', 'usage:2')]).toString());
    expect(asked.map((data) => (data === '[DONE]' ? data : JSON.parse(data)))).toEqual([
      { id: 'x', choices: [{ text: 'a' }], usage: null },
      { id: 'x', choices: [], usage: { prompt_tokens: 2, completion_tokens: 2, total_tokens: 4 } },
      '[DONE]',
    ]);
    const silent = seen(run(decode('chat'), [framed('a', 'usage:1')]).toString());
    expect(silent.map((data) => (data === '[DONE]' ? data : JSON.parse(data)))).toEqual([
      { id: 'x', choices: [{ text: 'a' }] },
      '[DONE]',
    ]);
  });

  const USAGE_2 = { prompt_tokens: 2, completion_tokens: 2, total_tokens: 4 };
  const FINISH = { id: 'x', choices: [{ text: '', finish_reason: 'stop' }] };
  const chunksOf = (text: string): unknown[] => seen(text).map((data) => (data === '[DONE]' ? data : JSON.parse(data)));

  test.for<{ rule: string; frames: string[]; want: unknown[] }>([
    {
      rule: 'its usage on the chunk that finishes it, when it was not asked for',
      frames: ['a', 'finish', 'usage:1', 'usage:2'],
      want: [{ ...FINISH, usage: USAGE_2 }, '[DONE]'],
    },
    {
      rule: 'usage that is known before the end there, too',
      frames: ['a', 'usage:2', 'finish'],
      want: [{ ...FINISH, usage: USAGE_2 }, '[DONE]'],
    },
    {
      rule: 'it on the last of several choices only',
      frames: ['a', 'finish', 'finish', 'usage:2'],
      want: [FINISH, { ...FINISH, usage: USAGE_2 }, '[DONE]'],
    },
    { rule: 'none where the provider reports none', frames: ['a', 'finish'], want: [FINISH, '[DONE]'] },
    {
      rule: 'what follows the finish after it',
      frames: ['a', 'finish', 'b', 'usage:2'],
      want: [FINISH, { id: 'x', choices: [{ text: 'b' }] }, '[DONE]'],
    },
  ])('of chat has $rule', ({ frames, want }) => {
    for (const protocol of ['chat', 'completion'] as const) {
      expect(chunksOf(run(decode(protocol), [framed(...frames)]).toString()).slice(1)).toEqual(want);
    }
  });

  test('of chat loses no finish to a stream that breaks after it', () => {
    const broken = chunksOf(run(decode('chat'), [framed('a', 'finish')], BROKEN).toString());
    expect(broken.slice(1)).toEqual([FINISH, { error: expect.objectContaining({ type: 'stream_error' }) }]);
    const refused = chunksOf(run(decode('chat'), [framed('a', 'finish', 'error:No')]).toString());
    expect(refused.slice(1)).toEqual([FINISH, expect.objectContaining({ provider: 'p' }), '[DONE]']);
  });

  test('of chat keeps usage from a client when only the gateway asked for it', () => {
    const encoder = createEncoder('chat', { provider: 'p', includeUsage: false, hidesUsage: true });
    const transform = createDecodeTransform({ reader: createFrameReader('sse'), decoder: plainDecoder(), encoder });
    expect(chunksOf(run(transform, [framed('a', 'finish', 'usage:2')]).toString()).slice(1)).toEqual([
      FINISH,
      '[DONE]',
    ]);
    expect(transform.report().usage).toMatchObject({ input: 2, output: 2 });
  });

  test('of chat has nothing but the end after an error of the provider', () => {
    const events = seen(run(decode('chat', true), [framed('a', 'usage:1', 'error:No', 'b')]).toString());
    expect(events.slice(1)).toEqual([
      '{"error":{"message":"No","type":"t","param":null,"code":null},"provider":"p"}',
      '[DONE]',
    ]);
  });

  test('of messages and responses keeps the names of its events', () => {
    for (const protocol of ['messages', 'responses'] as const) {
      expect(run(decode(protocol), [framed('a')]).toString()).toBe(
        'event: piece\ndata: {"id":"x","choices":[{"text":"a"}]}\n\n',
      );
    }
  });

  test('of responses counts on in its last event', () => {
    const text = run(decode('responses'), [framed('a', 'b')], BROKEN).toString();
    expect(JSON.parse(seen(text).at(-1) ?? '')).toMatchObject({ type: 'response.failed', sequence_number: 2 });
  });

  test('of responses fails as the response that it began', () => {
    const encoder = createEncoder('responses', { provider: 'p', includeUsage: false });
    const error = { message: 'm', type: 't', param: null, code: null };
    const begun = { id: 'resp_1', object: 'response', status: 'in_progress', model: 'm', output: [] };
    encoder.encode({ kind: 'chunk', event: 'response.created', data: { response: begun } });
    const failed = { ...begun, status: 'failed', error: { code: 't', message: 'm' } };
    for (const text of [encoder.encode({ kind: 'error', error }), encoder.fail(error)]) {
      expect(JSON.parse(seen(text).at(-1) ?? '')).toMatchObject({ sequence_number: 1, response: failed });
    }
  });

  test.for(PROTOCOLS)('of %s that breaks has an error and no end', (protocol) => {
    const text = run(decode(protocol, true), [framed('a', 'usage:1')], BROKEN).toString();
    expect(text).toContain('stream_error');
    expect(text).not.toContain('[DONE]');
  });

  test('knows its usage', () => {
    const transform = decode('messages');
    run(transform, [framed('a', 'usage:3')]);
    expect(transform.report().usage).toMatchObject({ input: 3, output: 3 });
    expect(decode('chat').report()).toMatchObject({ usage: undefined, model: undefined });
  });
});
