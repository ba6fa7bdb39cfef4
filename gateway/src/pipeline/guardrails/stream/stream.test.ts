import { describe, expect, test } from 'vitest';
import { AppError } from '../../../errors/index.ts';
import type { TextProtocol } from '../../../guardrails/stream/index.ts';
import { PROTOCOLS, STREAMS, saidBy } from '../../../guardrails/stream/testing.ts';
import { type ByteBudget, createByteBudget } from '../../../lib/byte-budget.ts';
import { bufferStream, guardStream, releasedStream, type StreamGuard, windowsOf } from './index.ts';
import { noSecret, received, runFor, source } from './testing.ts';

const DENIED = new AppError('MODEL_NOT_ALLOWED');
const WORDS = Array.from({ length: 60 }, (_, i) => `word${i} `);
const BAD = [...WORDS, 'a SEC', 'RET ', ...WORDS];
const RESULTS = Buffer.from('data: {"hook_results":{}}\n\n');

async function guarded(protocol: TextProtocol, stream: string, guard: Partial<StreamGuard>, budget?: ByteBudget) {
  const { body, flow } = source(protocol);
  const memory = (budget ?? createByteBudget(10_000_000)).open();
  const { over } = received(guardStream(body, { protocol, memory, ...guard }));
  for (let at = 0; at < stream.length; at += 50) body.upstream.push(Buffer.from(stream.slice(at, at + 50)));
  body.upstream.finish();
  return { ...(await over), flow };
}

describe.for(PROTOCOLS)('a guarded stream of %s', (protocol) => {
  const run = runFor(protocol);
  const windows = windowsOf([noSecret], { protocol, run, refuse: () => DENIED });

  test('is the stream of the provider, between its results, and its whole answer is checked', async () => {
    const stream = STREAMS[protocol](WORDS);
    const answers: unknown[] = [];
    const { text } = await guarded(protocol, stream, {
      before: RESULTS,
      windows,
      atEnd: async (answer) => {
        answers.push(answer);
        return { event: RESULTS };
      },
    });
    expect(text).toBe(`${RESULTS}${stream}${RESULTS}`);
    if (protocol !== 'messages') expect(JSON.stringify(answers)).toContain('word59');
  });

  test('ends with an error event in its format at the window that is denied', async () => {
    const { text, error, flow } = await guarded(protocol, STREAMS[protocol](BAD), { windows });
    expect(error).toBe(DENIED);
    expect(flow).toContain('pause');
    expect(text).not.toMatch(/RET|\[DONE\]|message_stop|response\.completed/);
    const last = text.trimEnd().split('\n\n').at(-1);
    expect(last).toContain(DENIED.message);
    if (protocol === 'messages') expect(last).toMatch(/^event: error\n/);
    if (protocol === 'responses') expect(last).toMatch(/^event: response\.failed\n/);
  });

  test('ends with an error event, without the held rest, when the whole is denied', async () => {
    const { text, error } = await guarded(protocol, STREAMS[protocol](WORDS), {
      windows,
      atEnd: async () => ({ denial: DENIED }),
    });
    expect(error).toBe(DENIED);
    expect(text).not.toMatch(/\[DONE\]|message_stop|response\.completed/);
  });

  test('has its placeholders restored', async () => {
    const placeholders = new Map([['[N_1]', 'Ada']]);
    const { text } = await guarded(protocol, STREAMS[protocol](['I am [N', '_1].']), { windows, placeholders });
    expect(saidBy(protocol, text).pieces).toBe('I am Ada.');
  });

  test('that is held gives its answer and events, or its texts where it is not whole', async () => {
    const stream = STREAMS[protocol](BAD);
    const held = async (text: string) => {
      const { body } = source(protocol);
      const budget = createByteBudget(1_000_000);
      const holding = bufferStream(body, { protocol, memory: budget.open(), maxBytes: 1_000_000 });
      body.upstream.push(Buffer.from(text));
      body.upstream.finish();
      return { ...(await holding), body, used: budget.used };
    };
    const whole = await held(stream);
    expect([whole.bytes.toString(), whole.used]).toEqual([stream, stream.length]);
    expect(JSON.stringify(whole.answer)).toContain('a SECRET ');
    expect((await run([noSecret], whole.answer)).denied).toBeDefined();
    const half = await held(`${stream.split('\n\n').slice(0, -5).join('\n\n')}\n\n`);
    expect((await run([noSecret], half.answer)).denied).toBeDefined();
    const { text } = await received(releasedStream(whole.body, protocol, [RESULTS, whole.bytes])).over;
    expect(text).toBe(`${RESULTS}${stream}`);
  });
});

describe('a guarded stream', () => {
  const protocol = 'chat';
  const run = runFor(protocol);
  const windows = windowsOf([noSecret], { protocol, run, refuse: () => DENIED });

  test('without hooks for windows has none', () => {
    const others = [
      { ...noSecret, window: undefined },
      { ...noSecret, async: true },
      { ...noSecret, mode: 'monitor' as const },
    ];
    expect(windowsOf(others, { protocol, run, refuse: () => DENIED })).toBeUndefined();
  });

  test('that cannot be read behind an event has that event, and the error', async () => {
    const { body } = source(protocol);
    const budget = createByteBudget(1_000_000);
    const transform = {
      ...body.transform,
      push: (bytes: Buffer) => bytes,
      broken: new AppError('UPSTREAM_STREAM_BROKEN'),
    };
    const { over } = received(guardStream({ ...body, transform }, { protocol, memory: budget.open() }));
    body.upstream.push(Buffer.from('data: {"choices":[]}\n\n'));
    const { text, error } = await over;
    expect(error?.code).toBe('UPSTREAM_STREAM_BROKEN');
    expect(text).toMatch(/^data: \{"choices":\[\]\}\n\ndata: \{"error":/);
    const other = source(protocol).body.upstream;
    const options = { protocol, memory: budget.open(), maxBytes: 1_000 } as const;
    const held = bufferStream({ kind: 'stream', upstream: other, transform }, options);
    other.push(Buffer.from('data: {"choices":[]}\n\n'));
    await expect(held).rejects.toMatchObject({ code: 'UPSTREAM_STREAM_BROKEN' });
    expect(budget.used).toBe(0);
  });

  test('that breaks says so, and nothing that was held', async () => {
    const { body } = source(protocol);
    const budget = createByteBudget(1_000_000);
    const { over } = received(guardStream(body, { protocol, memory: budget.open(), windows }));
    body.upstream.push(Buffer.from(STREAMS.chat(['short'])).subarray(0, 200));
    body.upstream.break(Object.assign(new Error('lost'), { code: 'ECONNRESET' }));
    const { text, error } = await over;
    expect(error?.code).toBe('UPSTREAM_UNREACHABLE');
    expect(text).not.toContain('short');
    expect(text).toContain('"error"');
    expect(budget.used).toBe(0);
  });

  test('waits for a client that is behind', async () => {
    const { body, flow } = source(protocol);
    const stream = guardStream(body, { protocol, memory: createByteBudget(1_000_000).open() });
    const got: Buffer[] = [];
    stream.upstream.pipe({ write: (bytes) => got.push(bytes) < 0, end: () => undefined, fail: () => undefined });
    const event = 'data: {"choices":[]}\n\n';
    body.upstream.push(Buffer.from(event));
    expect(flow.at(-1)).toBe('pause');
    stream.upstream.resume();
    expect(flow.at(-1)).toBe('resume');
    expect(Buffer.concat(got).toString()).toBe(event);
  });

  test('ends the call and its checks when the client leaves', async () => {
    const { body, flow } = source(protocol);
    const stream = guardStream(body, { protocol, memory: createByteBudget(1_000_000).open(), windows });
    const { over } = received(stream);
    body.upstream.push(Buffer.from(STREAMS.chat(WORDS)));
    stream.upstream.cancel(new AppError('CLIENT_CLOSED'));
    expect((await over).error?.code).toBe('CLIENT_CLOSED');
    expect(flow).toContain('abort');
  });

  test('that nobody reads ends the call', () => {
    const { body, flow } = source(protocol);
    guardStream(body, { protocol, memory: createByteBudget(1).open() }).upstream.discard();
    expect(flow).toContain('abort');
  });

  test('is cut where there is no room for what is held back, and goes on where there is none to assemble it', async () => {
    const stream = STREAMS.chat(WORDS);
    expect((await guarded(protocol, stream, { windows }, createByteBudget(100))).error?.code).toBe('MEMORY_EXHAUSTED');
    const answers: unknown[] = [];
    const atEnd = async (answer: object | undefined) => {
      answers.push(answer);
      return {};
    };
    const budget = createByteBudget(1_000);
    expect(await guarded(protocol, stream, { atEnd }, budget)).toMatchObject({ text: stream, error: undefined });
    expect([answers, budget.used]).toEqual([[undefined], 0]);
  });

  test('holds no more than its bound, and gives back what it held', async () => {
    for (const [bytes, maxBytes, code] of [
      [1_000_000, 100, 'UPSTREAM_TOO_LARGE'],
      [100, 1_000_000, 'MEMORY_EXHAUSTED'],
    ] as const) {
      const { body } = source(protocol);
      const budget = createByteBudget(bytes);
      const holding = bufferStream(body, { protocol, memory: budget.open(), maxBytes });
      body.upstream.push(Buffer.from(STREAMS.chat(WORDS)));
      await expect(holding).rejects.toMatchObject({ code });
      expect(budget.used).toBe(0);
    }
  });

  test('reports the usage of the provider', async () => {
    const { body } = source(protocol);
    const stream = guardStream(body, { protocol, memory: createByteBudget(1_000_000).open(), windows });
    const { over } = received(stream);
    const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
    body.upstream.push(Buffer.from(`data: {"model":"m","choices":[],"usage":${JSON.stringify(usage)}}\n\n`));
    body.upstream.finish();
    await over;
    expect(stream.transform?.report().usage).toMatchObject({ input: 3, output: 4 });
  });
});
