import { PassThrough, Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createStreamedBody } from './streamed-body.ts';

const SOURCE = Array.from({ length: 10 }, (_, i) => Buffer.alloc(10, String(i)));
const WHOLE = Buffer.concat(SOURCE).toString();

const read = async (body: Buffer | Readable): Promise<string> =>
  Buffer.isBuffer(body) ? body.toString() : Buffer.concat(await Array.fromAsync(body as AsyncIterable<Buffer>)).toString();
const open = (source: Readable, replayBytes = 1_000) => createStreamedBody(source, { replayBytes, bytes: undefined });

describe('a streamed body', () => {
  test('can be read again while it is small enough', async () => {
    const body = open(Readable.from(SOURCE), 100);
    expect(await read(body.open())).toBe(WHOLE);
    expect(body.replayable).toBe(true);
    expect(await read(body.open())).toBe(WHOLE);
  });

  test('is gone when it was larger', async () => {
    const body = open(Readable.from(SOURCE), 99);
    expect(body.replayable).toBe(true);
    expect(await read(body.open())).toBe(WHOLE);
    expect(body.replayable).toBe(false);
    expect(() => body.open()).toThrow();
  });

  test('goes on while it arrives', async () => {
    const source = new PassThrough();
    const reading = (open(source).open() as Readable)[Symbol.asyncIterator]();
    source.write('first');
    expect(String((await reading.next()).value)).toBe('first');
    source.end('second');
    expect(String((await reading.next()).value)).toBe('second');
    expect((await reading.next()).done).toBe(true);
  });

  test('asks the client for no more than somebody reads', async () => {
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

  test('that the client breaks off is the client gone, for every reader', async () => {
    const source = new PassThrough();
    const body = open(source);
    const readings = [read(body.open()), read(body.open())];
    source.write('first');
    source.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
    for (const reading of readings) await expect(reading).rejects.toMatchObject({ code: 'CLIENT_CLOSED' });
  });

  test('is read whole by the newest reader, however earlier ones are interleaved with it', async () => {
    const step = fc.record({ reader: fc.nat(), next: fc.constantFrom('read', 'open', 'give up', 'arrive') });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.integer({ min: 0, max: 120 }), async (steps, replayBytes) => {
        const source = new PassThrough({ highWaterMark: 1 });
        const arriving = [...SOURCE];
        const body = open(source, replayBytes);
        const readers: AsyncIterator<Buffer>[] = [];
        const begin = (): void => {
          if (body.replayable) readers.push((body.open() as Readable)[Symbol.asyncIterator]() as AsyncIterator<Buffer>);
        };
        begin();
        const texts = new Map<AsyncIterator<Buffer>, string>();
        const pending: Promise<unknown>[] = [];
        const take = (reader: AsyncIterator<Buffer>): void => {
          const taking = reader.next().then(({ done, value }) => {
            if (done !== true) texts.set(reader, (texts.get(reader) ?? '') + value);
          });
          pending.push(taking.catch(() => undefined)); // given up
        };
        for (const { reader, next } of steps) {
          const chosen = readers[reader % readers.length];
          if (next === 'open') begin();
          if (next === 'arrive') source.write(arriving.shift() ?? '');
          if (next === 'read' && chosen !== undefined) take(chosen);
          if (next === 'give up' && chosen !== undefined && chosen !== readers.at(-1)) void chosen.return?.();
          await Promise.resolve();
        }
        for (const piece of arriving) source.write(piece);
        source.end();
        const newest = readers.at(-1);
        if (newest === undefined) throw new Error('no reader');
        await Promise.all(pending);
        for (let done = false; !done; ) {
          const next = await newest.next();
          done = next.done === true;
          if (!done) texts.set(newest, (texts.get(newest) ?? '') + next.value);
        }
        expect(texts.get(newest) ?? '').toBe(WHOLE);
      }),
      { numRuns: 300 },
    );
  });
});
