import type { IncomingMessage } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createByteBudget } from '../../lib/byte-budget.ts';
import { unlimitedAccount } from '../../lib/testing.ts';
import { type UnpackedOptions, unpackedSource } from './unpacked-source.ts';

const MIB = 1024 * 1024;
const OPTIONS: UnpackedOptions = {
  progress: { idleMs: 0, minBytesPerSecond: 0 },
  memory: unlimitedAccount(),
  maxBytes: 512 * MIB,
};

const open = (source: Readable, options: Partial<UnpackedOptions> = {}, encoding = 'gzip'): Readable =>
  unpackedSource(source as IncomingMessage, encoding, { ...OPTIONS, ...options });

const lengthOf = async (source: AsyncIterable<Buffer>): Promise<number> => {
  let length = 0;
  for await (const piece of source) length += piece.length;
  return length;
};

test('bytes may stand for 16 MiB, and for more than that where they are many', async () => {
  expect(await lengthOf(open(Readable.from([gzipSync(Buffer.alloc(16 * MIB))])))).toBe(16 * MIB);
  await expect(lengthOf(open(Readable.from([gzipSync(Buffer.alloc(24 * MIB))])))).rejects.toMatchObject({
    code: 'BODY_TOO_LARGE',
    message: expect.stringContaining('200 for each byte'),
  });
});

test('the decoder counts as held until the end of the bytes', async () => {
  const budget = createByteBudget(MIB);
  const source = open(Readable.from([gzipSync('abc')]), { memory: budget.open() });
  expect(budget.used).toBeGreaterThan(0);
  expect(await lengthOf(source)).toBe(3);
  expect(budget.used).toBe(0);
  expect(() => open(Readable.from([]), { memory: createByteBudget(1).open() })).toThrow(
    expect.objectContaining({ code: 'MEMORY_EXHAUSTED' }),
  );
});

test('many clients that wait leave room for others', async () => {
  const budget = createByteBudget(128 * MIB);
  const sources = Array.from({ length: 64 }, () => {
    const client = new PassThrough();
    client.write(brotliCompressSync('abc').subarray(0, 2));
    return open(client, { memory: budget.open() }, 'br').resume();
  });
  await nextTurn();
  expect(budget.used).toBeGreaterThan(0);
  expect(budget.open().take(64 * MIB)).toBe(true);
  for (const source of sources) source.destroy();
});

test('a client that sends nothing more is refused', async () => {
  const client = new PassThrough();
  client.write(gzipSync(Buffer.alloc(MIB)).subarray(0, 100));
  const source = open(client, { progress: { idleMs: 20, minBytesPerSecond: 0 } });
  await expect(lengthOf(source)).rejects.toMatchObject({ code: 'BODY_STALLED' });
});

test('a client that leaves ends the bytes', async () => {
  const client = new PassThrough();
  const reading = lengthOf(open(client));
  client.destroy();
  await expect(reading).rejects.toMatchObject({ code: 'CLIENT_CLOSED' });
});

test('no more is read than is asked for', async () => {
  let pulled = 0;
  const packed = gzipSync(Buffer.alloc(8 * MIB, 'sound'), { level: 0 });
  const client = new Readable({
    highWaterMark: 1,
    read() {
      this.push(pulled * 65_536 < packed.length ? packed.subarray(pulled * 65_536, (pulled + 1) * 65_536) : null);
      pulled += 1;
    },
  });
  const source = open(client);
  const [first] = await source.take(1).toArray();
  expect(first?.length).toBeGreaterThan(0);
  expect(pulled).toBeLessThan(20);
});
