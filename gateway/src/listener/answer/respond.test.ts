import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { waitFor } from '@gatehouse/test/kit';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AppError } from '../../errors/index.ts';
import { Cancellation } from '../../lib/cancellation.ts';
import type { Answer, AnswerBody, CacheWriter } from '../../pipeline/index.ts';
import { NO_VERDICTS } from '../../record/index.ts';
import { BodyRelay } from '../../upstream/index.ts';
import type { ByteTransform } from '../../wire/transform/index.ts';
import { respond } from './respond.ts';

const atOnce = (task: () => void): void => task();

/** What a client of the given appetite receives. */
class FakeResponse extends Writable {
  status = 0;
  headers: Record<string, unknown> = {};
  text = '';
  readonly #hungry: boolean;
  #waiting: (() => void)[] = [];

  constructor(hungry = true) {
    super({ highWaterMark: 10 });
    this.#hungry = hungry;
    this.on('error', () => {});
  }

  writeHead(status: number, headers: Record<string, unknown>): void {
    this.status = status;
    this.headers = headers;
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += bytes;
    if (this.#hungry) done();
    else this.#waiting.push(done);
  }

  /** Takes what has been written so far. */
  eat(): void {
    for (const done of this.#waiting.splice(0)) done();
  }
}

const UPPER: ByteTransform = {
  push: (bytes) => bytes.toString().toUpperCase(),
  end: () => 'END',
  fail: ({ code }) => `FAILED ${code}`,
  report: () => ({ usage: undefined, model: undefined }),
};

function open(
  transform: ByteTransform | undefined,
  { hungry = true, keepAliveMs = 0, store }: { hungry?: boolean; keepAliveMs?: number; store?: CacheWriter } = {},
) {
  const flow: string[] = [];
  const upstream = new BodyRelay({
    pause: () => void flow.push('pause'),
    resume: () => void flow.push('resume'),
    abort: () => void flow.push('abort'),
  });
  const response = new FakeResponse(hungry);
  const cancellation = new Cancellation();
  const body: AnswerBody = { kind: 'stream', upstream, transform };
  const sent = respond(response as unknown as ServerResponse, answer(body, store), {
    signal: cancellation,
    batch: atOnce,
    keepAliveMs,
  });
  return { flow, upstream, response, sent, leave: () => cancellation.cancel(new AppError('CLIENT_CLOSED')) };
}

function answer(body: AnswerBody, store?: CacheWriter, status = 200): Answer {
  return {
    status,
    headers: {},
    body,
    facts: {
      error: undefined,
      caller: undefined,
      metadata: {},
      requestBytes: 0,
      route: { config: undefined, mode: undefined, optionPath: undefined },
      decisions: { cache: 'MISS', retries: 0, attemptsExhausted: false, limits: NO_VERDICTS, guardrails: [] },
      attempts: [],
      answeredBy: undefined,
      stream: body.kind === 'stream',
    },
    store,
  };
}

function storeOf() {
  const stored: string[] = [];
  const store: CacheWriter = {
    push: (bytes) => void stored.push(bytes.toString()),
    commit: () => void stored.push('committed'),
  };
  return { stored, store };
}
const lost = Object.assign(new Error('lost'), { code: 'ECONNRESET' });

describe('a whole answer', () => {
  const bytes = Buffer.from('{"hello":"world"}');
  const send = async (status: number, store?: CacheWriter) => {
    const response = new FakeResponse();
    const sent = await respond(response as unknown as ServerResponse, answer({ kind: 'bytes', bytes }, store, status), {
      signal: new Cancellation(),
      batch: atOnce,
      keepAliveMs: 0,
    });
    return { response, sent };
  };

  test('has its length and goes into the cache', async () => {
    const { stored, store } = storeOf();
    const { response, sent } = await send(200, store);
    expect(response).toMatchObject({
      status: 200,
      text: bytes.toString(),
      headers: { 'content-length': String(bytes.length) },
    });
    expect(sent).toMatchObject({ bytes: bytes.length, error: undefined });
    expect(stored).toEqual([bytes.toString(), 'committed']);
  });

  test.for([204, 304])('of status %i has no length', async (status) => {
    expect((await send(status)).response.headers).toEqual({});
  });
});

describe('a stream', () => {
  test('goes through its transform to the end, and into the cache', async () => {
    const { stored, store } = storeOf();
    const { upstream, response, sent } = open(UPPER, { store });
    upstream.push(Buffer.from('a'));
    upstream.push(Buffer.from('b'));
    upstream.finish();
    expect(await sent).toMatchObject({ error: undefined, bytes: 'ABEND'.length });
    await waitFor(() => response.writableFinished);
    expect(response.text).toBe('ABEND');
    expect(stored).toEqual(['A', 'B', 'END', 'committed']);
  });

  test('pauses the upstream while the client is full, and goes on after', async () => {
    const { flow, upstream, response, sent } = open(undefined, { hungry: false });
    upstream.push(Buffer.alloc(20, 'x'));
    expect(flow).toEqual(['resume', 'pause']);
    response.eat();
    await waitFor(() => flow.length === 3);
    expect(flow.at(-1)).toBe('resume');
    upstream.finish();
    await sent;
  });

  test('that breaks ends in an error event, and is not cached', async () => {
    const { stored, store } = storeOf();
    const { upstream, response, sent } = open(UPPER, { store });
    upstream.push(Buffer.from('a'));
    upstream.break(lost);
    expect((await sent).error).toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
    await waitFor(() => response.writableFinished);
    expect(response.text).toBe('AFAILED UPSTREAM_UNREACHABLE');
    expect(stored).not.toContain('committed');
  });

  test('in no known format that breaks is cut, so that it does not look whole', async () => {
    const { upstream, response, sent } = open(undefined);
    upstream.push(Buffer.from('a'));
    upstream.break(lost);
    await sent;
    expect(response.destroyed).toBe(true);
  });

  test.for<{ rule: string; broken: Partial<ByteTransform>; held: boolean }>([
    {
      rule: 'in the middle',
      broken: {
        push: () => {
          throw new AppError('UPSTREAM_STREAM_BROKEN');
        },
      },
      held: false,
    },
    {
      rule: 'behind what was given',
      broken: { push: () => 'GIVEN ', broken: new AppError('UPSTREAM_STREAM_BROKEN') },
      held: false,
    },
    {
      rule: 'behind what was held and given',
      broken: { push: () => 'GIVEN ', broken: new AppError('UPSTREAM_STREAM_BROKEN') },
      held: true,
    },
    {
      rule: 'in what was held',
      broken: {
        push: () => {
          throw new AppError('UPSTREAM_STREAM_BROKEN');
        },
      },
      held: true,
    },
    {
      rule: 'by a bug',
      broken: {
        push: () => {
          throw new TypeError('bug');
        },
      },
      held: false,
    },
    {
      rule: 'at the end',
      broken: {
        end: () => {
          throw new AppError('UPSTREAM_STREAM_BROKEN');
        },
      },
      held: false,
    },
    {
      rule: 'at an end that was held',
      broken: {
        end: () => {
          throw new AppError('UPSTREAM_STREAM_BROKEN');
        },
      },
      held: true,
    },
  ])('that cannot be read $rule ends in one error event', async ({ broken, held }) => {
    const { stored, store } = storeOf();
    const flow: string[] = [];
    const upstream = new BodyRelay({ pause: () => {}, resume: () => {}, abort: () => void flow.push('abort') });
    const feed = (): void => {
      upstream.push(Buffer.from('a'));
      upstream.push(Buffer.from('b'));
      upstream.finish();
    };
    if (held) feed();
    const response = new FakeResponse();
    const errors: unknown[] = [];
    response.on('error', (error) => errors.push(error));
    const body: AnswerBody = { kind: 'stream', upstream, transform: { ...UPPER, ...broken } };
    const sending = respond(response as unknown as ServerResponse, answer(body, store), {
      signal: new Cancellation(),
      batch: atOnce,
      keepAliveMs: 0,
    });
    if (!held) feed();
    expect((await sending).error).toMatchObject({ code: 'UPSTREAM_STREAM_BROKEN' });
    await waitFor(() => response.writableFinished);
    expect(response.text.match(/FAILED/g)).toHaveLength(1);
    const given = broken.broken === undefined ? '' : 'GIVEN ';
    expect(response.text.endsWith(`${given}FAILED UPSTREAM_STREAM_BROKEN`)).toBe(true);
    expect(response.text.match(/GIVEN/g) ?? []).toHaveLength(given === '' ? 0 : 1);
    expect(errors).toEqual([]);
    expect(stored).not.toContain('committed');
  });

  test('ends when the client disconnects', async () => {
    const { flow, upstream, sent, leave } = open(UPPER);
    upstream.push(Buffer.from('a'));
    leave();
    expect((await sent).error).toMatchObject({ code: 'CLIENT_CLOSED' });
    expect(flow).toContain('abort');
  });

  describe('that is silent', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
    afterEach(() => void vi.useRealTimers());

    test('gets comments, between events only', async () => {
      const { upstream, response, sent } = open(
        { ...UPPER, push: (bytes) => bytes, end: () => '' },
        { keepAliveMs: 100 },
      );
      upstream.push(Buffer.from('data: a\n\n'));
      vi.advanceTimersByTime(250);
      upstream.push(Buffer.from('data: half'));
      vi.advanceTimersByTime(1_000);
      upstream.push(Buffer.from(' done\r\n\r\n'));
      vi.advanceTimersByTime(99);
      upstream.push(Buffer.from('data: b\n\n')); // begins the silence anew
      vi.advanceTimersByTime(100);
      upstream.finish();
      await sent;
      vi.advanceTimersByTime(1_000);
      const comment = ': keep-alive\n\n';
      expect(response.text).toBe(`data: a\n\n${comment}${comment}data: half done\r\n\r\ndata: b\n\n${comment}`);
    });

    test('has no comments where the format is not known', async () => {
      const { upstream, response, sent } = open(undefined, { keepAliveMs: 1 });
      upstream.push(Buffer.from('a\n\n'));
      vi.advanceTimersByTime(1_000);
      upstream.finish();
      await sent;
      expect(response.text).toBe('a\n\n');
    });
  });
});
