import { PassThrough, Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createByteBudget } from '../../lib/byte-budget.ts';
import { unlimitedAccount } from '../../lib/testing.ts';
import type { StreamedBody } from '../../wire/contract.ts';
import { createStreamedBody, type StreamedBodyOptions } from './streamed-body.ts';

const SOURCE = Array.from({ length: 10 }, (_, i) => Buffer.alloc(10, String(i)));
const WHOLE = Buffer.concat(SOURCE).toString();

const read = async (body: Buffer | Readable): Promise<string> =>
  Buffer.isBuffer(body)
    ? body.toString()
    : Buffer.concat(await Array.fromAsync(body as AsyncIterable<Buffer>)).toString();
const PATIENT = { idleMs: 0, minBytesPerSecond: 0 };
const open = (source: Readable, replayBytes = 1_000, more: Partial<StreamedBodyOptions> = {}) =>
  createStreamedBody(source, { replayBytes, bytes: undefined, progress: PATIENT, memory: unlimitedAccount(), ...more });

describe('a streamed body', () => {
  test('can be read again while it is small enough', async () => {
    const body = open(Readable.from(SOURCE), 100);
    expect(await read(body.open())).toBe(WHOLE);
    expect(body.replayable).toBe(true);
    expect(await read(body.open())).toBe(WHOLE);
  });

  test('is sent once when there is no room to keep it, and then holds nothing', async () => {
    const budget = createByteBudget(35);
    const body = open(Readable.from(SOURCE), 1_000, { memory: budget.open() });
    expect(await read(body.open())).toBe(WHOLE);
    expect([body.replayable, budget.used]).toEqual([false, 0]);
  });

  test('is read ahead as far as is asked for, and is whole afterwards', async () => {
    for (const replayBytes of [0, 1_000]) {
      const seen: Buffer[] = [];
      const body = open(Readable.from(SOURCE), replayBytes, { onPiece: (piece) => seen.push(piece) });
      await body.peek(() => seen.length === 2, 1_000);
      expect([seen.length, body.replayable]).toEqual([2, true]);
      await body.peek(() => false, 0);
      expect(seen).toHaveLength(2);
      expect(await read(body.open())).toBe(WHOLE);
      expect([Buffer.concat(seen).toString(), body.replayable]).toEqual([WHOLE, replayBytes > 0]);
    }
  });

  test('is held beyond what can be sent again, counted until it has been sent', async () => {
    const budget = createByteBudget(1_000);
    const seen: Buffer[] = [];
    const body = open(Readable.from(SOURCE), 20, { memory: budget.open(), onPiece: (piece) => seen.push(piece) });
    await body.hold(() => seen.length === 7, 1_000);
    expect([seen.length, budget.used, body.replayable]).toEqual([7, 70, true]);
    expect(await read(body.open())).toBe(WHOLE);
    expect([budget.used, body.replayable]).toEqual([0, false]);
  });

  test('is not held without memory, nor further than is said', async () => {
    const full = open(Readable.from(SOURCE), 1_000, { memory: createByteBudget(35).open() });
    await expect(full.hold(() => false, 1_000)).rejects.toMatchObject({ code: 'MEMORY_EXHAUSTED' });
    await expect(read(full.open())).rejects.toMatchObject({ code: 'MEMORY_EXHAUSTED' });
    const seen: Buffer[] = [];
    const short = open(Readable.from(SOURCE), 0, { onPiece: (piece) => seen.push(piece) });
    await short.hold(() => false, 35);
    expect(seen).toHaveLength(4);
  });

  test('is refused when the client stops in the middle', async () => {
    const source = new PassThrough();
    const body = open(source, 1_000, { progress: { idleMs: 20, minBytesPerSecond: 0 } });
    source.write('half');
    await expect(read(body.open())).rejects.toMatchObject({ code: 'BODY_STALLED' });
  });

  test('cannot be sent again when it was larger', async () => {
    const body = open(Readable.from(SOURCE), 99);
    expect(body.replayable).toBe(true);
    expect(await read(body.open())).toBe(WHOLE);
    expect(body.replayable).toBe(false);
    expect(() => body.open()).toThrow();
  });

  test('is forwarded while it arrives', async () => {
    const source = new PassThrough();
    const reading = (open(source).open() as Readable)[Symbol.asyncIterator]();
    source.write('first');
    expect(String((await reading.next()).value)).toBe('first');
    source.end('second');
    expect(String((await reading.next()).value)).toBe('second');
    expect((await reading.next()).done).toBe(true);
  });

  test('reads no more from the client than its readers take', async () => {
    let pulled = 0;
    const source = new Readable({
      highWaterMark: 1,
      read() {
        pulled += 1;
        this.push(Buffer.alloc(100));
      },
    });
    const reading = (open(source, 10).open() as Readable)[Symbol.asyncIterator]();
    await reading.next();
    await new Promise((resolve) => setImmediate(resolve));
    expect(pulled).toBeLessThan(200); // a few buffers of some kilobytes, of an endless body
    await reading.return?.();
  });

  test('that the client breaks off fails every reader with CLIENT_CLOSED', async () => {
    const source = new PassThrough();
    const body = open(source);
    const readings = [read(body.open()), read(body.open())];
    source.write('first');
    source.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
    for (const reading of readings) await expect(reading).rejects.toMatchObject({ code: 'CLIENT_CLOSED' });
  });

  test('that the client breaks off is no failure of the process where nobody looks at a reader any more', async () => {
    const source = new PassThrough();
    const reader = open(source).open();
    reader.read(); // as a try does that has ended since
    source.destroy(new Error('aborted'));
    await new Promise((resolve) => reader.once('close', resolve));
    expect(reader.errored).toMatchObject({ code: 'CLIENT_CLOSED' });
  });

  test('is read whole by the newest reader, however earlier ones are interleaved with it', async () => {
    const step = fc.record({ reader: fc.nat(), name: fc.constantFrom(...Object.keys(STEPS)) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        fc.integer({ min: 0, max: 120 }),
        async (steps, replayBytes) => {
          const race = new Race(replayBytes);
          for (const { reader, name } of steps) {
            STEPS[name]?.(race, reader);
            await Promise.resolve();
          }
          expect(await race.finish()).toBe(WHOLE);
        },
      ),
      { numRuns: 300 },
    );
  });
});

type Reader = AsyncIterator<Buffer>;

/** A body that arrives piece by piece, and readers that take turns. */
class Race {
  readonly #source = new PassThrough({ highWaterMark: 1 });
  readonly #arriving = [...SOURCE];
  readonly #body: StreamedBody;
  readonly #readers: Reader[] = [];
  readonly #texts = new Map<Reader, string>();
  readonly #pending: Promise<unknown>[] = [];

  constructor(replayBytes: number) {
    this.#body = open(this.#source, replayBytes);
    this.begin();
  }

  begin(): void {
    if (!this.#body.replayable) return;
    this.#readers.push((this.#body.open() as Readable)[Symbol.asyncIterator]() as Reader); // it is a stream of bytes
  }

  arrive(): void {
    const piece = this.#arriving.shift();
    if (piece !== undefined) this.#source.write(piece);
  }

  read(chosen: number): void {
    const reader = this.#readers[chosen % this.#readers.length];
    if (reader !== undefined) this.#pending.push(this.#take(reader).catch(() => true)); // aborted
  }

  giveUp(chosen: number): void {
    const reader = this.#readers[chosen % this.#readers.length];
    if (reader !== this.#newest) void reader?.return?.();
  }

  /** What the newest reader has in the end. */
  async finish(): Promise<string> {
    while (this.#arriving.length > 0) this.arrive();
    this.#source.end();
    await Promise.all(this.#pending);
    while (!(await this.#take(this.#newest)));
    return this.#texts.get(this.#newest) ?? '';
  }

  get #newest(): Reader {
    const newest = this.#readers.at(-1);
    if (newest === undefined) throw new Error('no reader');
    return newest;
  }

  /** Whether the reader has come to its end. */
  async #take(reader: Reader): Promise<boolean> {
    const { done, value } = await reader.next();
    if (done !== true) this.#texts.set(reader, (this.#texts.get(reader) ?? '') + value);
    return done === true;
  }
}

const STEPS: Readonly<Record<string, (race: Race, reader: number) => void>> = {
  read: (race, reader) => race.read(reader),
  open: (race) => race.begin(),
  'give up': (race, reader) => race.giveUp(reader),
  arrive: (race) => race.arrive(),
};
