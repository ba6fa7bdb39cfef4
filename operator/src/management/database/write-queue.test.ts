import { expect, test } from 'vitest';
import { WriteQueue } from './write-queue.ts';

const AWAY = new Error('away');
const REFUSED = new Error('refused');

/** Refuses every batch with the item `bad`. */
function setup(write: (batch: readonly string[]) => Promise<void> = async () => undefined) {
  const written: string[] = [];
  const dropped: { readonly items: readonly string[]; readonly refused: unknown }[] = [];
  const queue = new WriteQueue<string>({
    write: async (batch) => {
      await write(batch);
      if (batch.includes('bad')) throw REFUSED;
      written.push(...batch);
    },
    sizeOf: () => 1,
    isTemporary: (error) => error === AWAY,
    onDropped: (items, refused) => dropped.push({ items, refused }),
    ...{ maxBytes: 1_000, batch: 3, retryMs: 1 },
  });
  return { queue, written, dropped };
}

test('what is refused is dropped alone, and what stands around it is written in its order', async () => {
  const { queue, written, dropped } = setup();
  for (const item of ['a', 'b', 'bad', 'c', 'd', 'bad', 'e', 'f', 'g']) queue.add(item);
  await queue.close();
  expect(written).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  expect(dropped).toEqual([
    { items: ['bad'], refused: REFUSED },
    { items: ['bad'], refused: REFUSED },
  ]);
});

test('what fails for a while is tried again as a whole', async () => {
  let isAway = true;
  const { queue, written, dropped } = setup(async () => {
    if (isAway) throw AWAY;
  });
  for (const item of ['a', 'b']) queue.add(item);
  await queue.settled();
  expect(written).toEqual([]);
  isAway = false;
  await queue.close();
  expect([written, dropped]).toEqual([['a', 'b'], []]);
});
