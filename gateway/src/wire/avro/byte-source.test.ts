import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ByteBudget, createByteBudget } from '../../lib/byte-budget.ts';
import { ByteSource } from './byte-source.ts';
import { Quota } from './quota.ts';

const MIB = 1024 * 1024;

async function* splitAt(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let at = 0;
  for (const size of sizes) {
    yield bytes.subarray(at, at + size);
    at += size;
  }
  yield bytes.subarray(at);
}

const open = (content: AsyncIterable<Buffer>, budget: ByteBudget): ByteSource =>
  new ByteSource(content, { memory: budget.open(), quota: new Quota() });

test('what is taken is what has come, whatever the pieces, and nothing stays counted', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 5_000 }),
      fc.array(fc.nat({ max: 1_500 })),
      fc.array(fc.nat({ max: 3_000 }), { maxLength: 20 }),
      async (array, sizes, counts) => {
        const bytes = Buffer.from(array);
        const budget = createByteBudget(MIB);
        const source = open(splitAt(bytes, sizes), budget);
        let at = 0;
        for (const count of counts) {
          if (at + count > bytes.length) break;
          expect((await source.take(count)).equals(bytes.subarray(at, at + count))).toBe(true);
          expect(budget.used).toBeGreaterThanOrEqual(count);
          at += count;
        }
        expect(await source.isAtEnd()).toBe(at === bytes.length);
        await source.close();
        expect(budget.used).toBe(0);
      },
    ),
  );
});

test('a count that is announced takes no memory before its bytes are there', async () => {
  const budget = createByteBudget(16 * MIB);
  const used: number[] = [];
  const source = open(
    (async function* () {
      for (let sent = 0; sent < 10; sent += 1) {
        used.push(budget.used);
        yield Buffer.alloc(100);
      }
    })(),
    budget,
  );
  await expect(source.take(16 * MIB)).rejects.toThrow('ends too early');
  expect(used[0]).toBe(0);
  expect(Math.max(...used)).toBeLessThanOrEqual(2 * 1_024);
  await source.close();
  expect(budget.used).toBe(0);
});

test('pieces of one byte are held as bytes, and copied some times alone', async () => {
  const budget = createByteBudget(16 * MIB);
  const count = 200_000;
  let most = 0;
  let changes = 0;
  let last = 0;
  const source = open(
    (async function* () {
      for (let sent = 0; sent < count; sent += 1) {
        most = Math.max(most, budget.used);
        if (Math.abs(budget.used - last) > 1) changes += 1;
        last = budget.used;
        yield Buffer.from([sent % 251]);
      }
    })(),
    budget,
  );
  const taken = await source.take(count);
  expect(taken.every((byte, at) => byte === at % 251)).toBe(true);
  expect(taken.buffer.byteLength).toBe(count);
  expect(most).toBeGreaterThan(count / 2);
  expect(most).toBeLessThanOrEqual(count + 1);
  expect(changes).toBeLessThan(20);
});

test('more than the budget is refused, and given back', async () => {
  const budget = createByteBudget(10_000);
  const source = open(
    splitAt(
      Buffer.alloc(50_000),
      Array.from({ length: 49 }, () => 1_000),
    ),
    budget,
  );
  await expect(source.take(40_000)).rejects.toMatchObject({ code: 'MEMORY_EXHAUSTED' });
  await source.close();
  expect(budget.used).toBe(0);
});
