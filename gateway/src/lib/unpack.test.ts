import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, constants, createZstdCompress, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createByteBudget } from './byte-budget.ts';
import { isPacked, UnpackFailure, unpack, unpackPieces } from './unpack.ts';

const MIB = 1024 * 1024;
const TEXT = Buffer.from('{"model":"m","messages":[]}'.repeat(1_000));
const PACKERS = [
  { encoding: 'gzip', pack: gzipSync },
  { encoding: 'x-gzip', pack: gzipSync },
  { encoding: 'deflate', pack: deflateSync },
  { encoding: 'br', pack: brotliCompressSync },
  { encoding: 'zstd', pack: zstdCompressSync },
] as const;

function limits(maxBytes = MIB, held = 4 * MIB) {
  const budget = createByteBudget(held);
  return { budget, limits: { maxBytes, memory: budget.open() } };
}

describe.for(PACKERS)('$encoding', ({ encoding, pack }) => {
  test('is unpacked, and its bytes are counted', async () => {
    const { budget, limits: within } = limits();
    expect(await unpack(pack(TEXT), ` ${encoding.toUpperCase()} `, within)).toEqual({ ok: true, value: TEXT });
    expect(budget.used).toBe(TEXT.length);
  });

  test.for([
    { rule: 'that is cut off', bytes: pack(TEXT).subarray(0, -9) },
    { rule: 'of something else', bytes: Buffer.from('{"model":"m"}') },
  ])('$rule is broken, and nothing stays counted', async ({ bytes }) => {
    const { budget, limits: within } = limits();
    expect(await unpack(bytes, encoding, within)).toMatchObject({ ok: false, error: { kind: 'broken' } });
    expect(budget.used).toBe(0);
  });

  test.for([
    { rule: 'a result may be', maxBytes: MIB, held: 100 * MIB, kind: 'too-large' },
    { rule: 'there is memory', maxBytes: 100 * MIB, held: MIB, kind: 'no-memory' },
  ])('is unpacked no further than $rule', async ({ maxBytes, held, kind }) => {
    const { budget, limits: within } = limits(maxBytes, held);
    expect(await unpack(pack(Buffer.alloc(50 * MIB)), encoding, within)).toMatchObject({ ok: false, error: { kind } });
    expect(budget.used).toBe(0);
  });
});

test('a frame of zstd that asks for a larger window than 8 MiB is broken', async () => {
  const packer = createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: 27 } }); // knows no length to shrink it to
  packer.write(TEXT);
  packer.end(TEXT);
  const { limits: within } = limits();
  expect(await unpack(await buffer(packer), 'zstd', within)).toMatchObject({ ok: false, error: { kind: 'broken' } });
});

test.for(['compress', 'gzip, br', 'constructor', ''])('the encoding "%s" is unknown', async (encoding) => {
  const { limits: within } = limits();
  expect(await unpack(TEXT, encoding, within)).toEqual({ ok: false, error: { kind: 'unknown-encoding' } });
});

test.for([
  { encoding: undefined, packed: false },
  { encoding: '', packed: false },
  { encoding: 'Identity', packed: false },
  { encoding: 'gzip', packed: true },
  { encoding: 'unheard-of', packed: true },
])('a body with the encoding $encoding is packed: $packed', ({ encoding, packed }) => {
  expect(isPacked(encoding)).toBe(packed);
});

/** The windows of the formats, in bytes. */
const HELD = { gzip: 32_768, 'x-gzip': 32_768, deflate: 32_768, br: 16 * MIB, zstd: 8 * MIB } as const;

describe.for(PACKERS)('pieces of $encoding', ({ encoding, pack }) => {
  async function* pieces(bytes: Buffer, size = 1_000): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const bounds = (held = 100 * MIB) => {
    const budget = createByteBudget(held);
    return { budget, limits: { inflation: 200, spareBytes: MIB, memory: budget.open() } };
  };
  const all = async (source: AsyncIterable<Buffer>) => buffer(unpackPieces(source, encoding, bounds().limits));

  test('are unpacked while they arrive', async () => {
    expect(await all(pieces(pack(TEXT), 7))).toEqual(TEXT);
  });

  const packed = pack(TEXT);
  const OTHER = Buffer.from('{"model":"m"}');
  test.for([
    { rule: 'that are cut off', bytes: packed.subarray(0, -9), kind: 'broken' },
    { rule: 'of something else', bytes: OTHER, kind: 'broken' },
    { rule: 'that stand for too much', bytes: pack(Buffer.alloc(16 * MIB)), kind: 'too-large' },
    { rule: 'that something else follows', bytes: Buffer.concat([packed, OTHER]), kind: 'broken' },
    {
      rule: 'that something else follows in its own pieces',
      bytes: Buffer.concat([packed, OTHER]),
      size: 1,
      kind: 'broken',
    },
    { rule: 'that zeros follow', bytes: Buffer.concat([packed, Buffer.alloc(512), packed]), kind: 'broken' },
  ])('$rule fail', async ({ bytes, kind, size }) => {
    const error: unknown = await all(pieces(bytes, size)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnpackFailure);
    expect(error).toMatchObject({ kind });
  });

  test.for([1, 1_000_000])('of several streams are all unpacked or broken, %i bytes at a time', async (size) => {
    const unpacked = all(pieces(Buffer.concat([packed, packed]), size));
    if (MANY.has(encoding)) expect(await unpacked).toEqual(Buffer.concat([TEXT, TEXT]));
    else await expect(unpacked).rejects.toMatchObject({ kind: 'broken' });
  });

  test('that end nowhere stop after their stream', async () => {
    const source = async function* () {
      yield packed;
      for (;;) yield OTHER;
    };
    await expect(all(source())).rejects.toMatchObject({ kind: 'broken' });
  });

  test('fail as their source does', async () => {
    const failure = new Error('reset');
    const source = async function* () {
      yield pack(TEXT).subarray(0, 20);
      throw failure;
    };
    await expect(all(source())).rejects.toBe(failure);
  });

  test.for([true, undefined])('count what their decoder holds until they end (at once: %s)', async (wholeAtOnce) => {
    const { budget, limits } = bounds();
    const within = { ...limits, ...(wholeAtOnce && { wholeAtOnce }) };
    const reading = unpackPieces(pieces(pack(Buffer.alloc(512 * 1024)), 1e6), encoding, within);
    if (wholeAtOnce) expect(budget.used).toBeGreaterThanOrEqual(HELD[encoding]);
    await reading.next();
    expect(budget.used).toBeGreaterThanOrEqual(HELD[encoding]); // it has more of them already
    for await (const _ of reading);
    expect(budget.used).toBe(0);
    await expect(buffer(unpackPieces(pieces(OTHER), encoding, within))).rejects.toThrow(UnpackFailure);
    expect(budget.used).toBe(0);
  });

  test('hold as much as they stand for while nothing more arrives', async () => {
    const { budget, limits: within } = bounds();
    const waits = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<void>();
    const bytes = pack(Buffer.alloc(MIB));
    const source = async function* () {
      yield bytes.subarray(0, 2);
      const before = budget.used;
      expect(before).toBeLessThan(MIB / 2);
      yield bytes.subarray(2);
      stopped.resolve();
      await waits.promise;
    };
    const reading = buffer(unpackPieces(source(), encoding, within));
    await Promise.race([stopped.promise, reading]); // what fails above ends it
    expect(budget.used).toBeGreaterThanOrEqual(Math.min(MIB, HELD[encoding]));
    expect(budget.used).toBeLessThan(3 * MIB);
    waits.resolve();
    expect((await reading).length).toBe(MIB);
    expect(budget.used).toBe(0);
  });

  test('that arrive after the end of the reading are not counted', async () => {
    const { budget, limits: within } = bounds();
    const late = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const bytes = pack(randomBytes(MIB / 8));
    const source = async function* () {
      try {
        yield bytes.subarray(0, -9);
        await late.promise;
        yield bytes.subarray(-9);
      } finally {
        ended.resolve();
      }
    };
    for await (const _ of unpackPieces(source(), encoding, within)) break;
    late.resolve();
    await ended.promise;
    expect(budget.used).toBe(0);
  });

  test('leave room for others before they arrive', () => {
    const { budget, limits: within } = bounds();
    for (let count = 0; count < 100; count += 1) unpackPieces(pieces(packed), encoding, within);
    expect(budget.used).toBeLessThan(budget.limit / 2);
  });

  test.for([
    { rule: 'at once without memory', held: 32_767, wholeAtOnce: undefined },
    { rule: 'at once without memory for all of their decoder', held: HELD[encoding] - 1, wholeAtOnce: true },
  ])('are refused $rule', ({ held, wholeAtOnce }) => {
    const { budget, limits } = bounds(held);
    const within = { ...limits, ...(wholeAtOnce && { wholeAtOnce }) };
    expect(() => unpackPieces(pieces(packed), encoding, within)).toThrow(
      expect.objectContaining({ kind: 'no-memory' }),
    );
    expect(budget.used).toBe(0);
  });

  test('are refused when they arrive without memory for their decoder', async () => {
    const { budget, limits: within } = bounds(HELD[encoding] - 1);
    const source = pieces(pack(Buffer.alloc(MIB)), MIB);
    const unpacked = async () => buffer(unpackPieces(source, encoding, within));
    await expect(unpacked()).rejects.toMatchObject({ kind: 'no-memory' });
    expect(budget.used).toBe(0);
  });

  test('that nobody reads on are not asked for', async () => {
    let isEnded = false;
    const source = async function* () {
      try {
        for (;;) yield* pieces(packed);
      } finally {
        isEnded = true;
      }
    };
    const { budget, limits: within } = bounds();
    for await (const _ of unpackPieces(source(), encoding, within)) break;
    expect(budget.used).toBe(0);
    await expect.poll(() => isEnded).toBe(true);
  });
});

/** Of which several may follow each other. */
const MANY: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'zstd']);

test('pieces of an unknown encoding are refused at once', () => {
  const source = (async function* () {
    yield TEXT;
  })();
  const { limits: within } = limits();
  expect(() => unpackPieces(source, 'compress', { ...within, inflation: 1, spareBytes: 1 })).toThrow(UnpackFailure);
});
