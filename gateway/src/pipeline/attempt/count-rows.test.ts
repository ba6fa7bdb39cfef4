import { describe, expect, test } from 'vitest';
import { createCatalogue, createPriceBook } from '../../cost/index.ts';
import { createByteBudget } from '../../lib/byte-budget.ts';
import { DEFAULT_JSON_LIMITS } from '../../lib/json/index.ts';
import { bodyOf } from '../../upstream/index.ts';
import { MAX_ROW_BYTES } from '../../wire/batch-rows/index.ts';
import { RowCounter } from './count-rows.ts';
import { countedBody } from './counted-body.ts';

const prices = createPriceBook(
  new Map(),
  createCatalogue(() => 0),
);

const row = (id: string, tokens: number, model = 'gpt-4o') =>
  `${JSON.stringify({
    ...{ id, custom_id: id, error: null },
    response: {
      status_code: 200,
      body: { model, usage: { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens } },
    },
  })}\n`;
const FAILED = '{"id":"r9","custom_id":"x","response":null,"error":{"code":"batch_expired","message":"m"}}\n';

const world = (bytes = 1_000_000) => {
  const kept = new Map<string, number>();
  const budget = createByteBudget(bytes);
  const counter = (account = 'a', isWhole = false, output = 'file o', results?: string) =>
    new RowCounter({
      marks: {
        read: async (key) => kept.get(key) ?? 0,
        claim: async (key, { before, rows }) => {
          if ((kept.get(key) ?? 0) > before) return false;
          kept.set(key, rows);
          return true;
        },
      },
      isWhole,
      ...{ account, output, results },
      json: DEFAULT_JSON_LIMITS,
      memory: budget.open(),
      prices: { prices, account: { provider: 'openai', prices: undefined }, model: '', batch: true },
    });
  return { kept, budget, counter };
};

async function* pieces(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const read = (counter: RowCounter, text: string, size = 1_000, most = Number.POSITIVE_INFINITY): Promise<string> => {
  const got: Buffer[] = [];
  const body = countedBody(
    bodyOf(pieces(text, size), () => undefined),
    counter,
  );
  return new Promise((resolve) => {
    const over = (): void => resolve(Buffer.concat(got).toString());
    body.pipe({
      write: (piece) => {
        got.push(piece);
        if (got.length >= most) body.discard();
        return true;
      },
      ...{ end: over, fail: over },
    });
  });
};

describe('results of a message batch', () => {
  const result = (id: string, tokens: number) =>
    `${JSON.stringify({
      custom_id: id,
      result: {
        type: 'succeeded',
        message: { model: 'claude-sonnet-4-5', usage: { input_tokens: tokens, output_tokens: 0 } },
      },
    })}\n`;
  const text = `${result('a', 100)}{"custom_id":"b","result":{"type":"expired"}}\n${result('c', 50)}`;

  test('are counted once, with those of the same batch as an output', async () => {
    const { counter } = world();
    const results = counter('a', false, 'file m', 'm');
    expect(await read(results, text)).toBe(text);
    expect(results.counted()).toMatchObject({ usage: { total: 150 }, model: 'claude-sonnet-4-5' });
    const again = counter('a', false, 'file m', 'm');
    await read(again, text);
    const output = counter('a', false, 'file m');
    await read(output, row('m-1', 100) + row('m-2', 0) + row('m-3', 50));
    expect([again.counted().usage, output.counted().usage]).toEqual([undefined, undefined]);
    const other = counter('a', false, 'file n', 'n');
    await read(other, text);
    expect(other.counted()).toMatchObject({ usage: { total: 150 } });
  });

  test('are no rows of a file of a client that look like them', async () => {
    const { counter } = world();
    const file = counter();
    await read(file, text);
    expect(file.counted().usage).toBeUndefined();
  });

  test('have no known cost behind a first row that is too long', async () => {
    const { counter } = world(2 * MAX_ROW_BYTES);
    const results = counter('a', false, 'file m', 'm');
    await read(results, `{"custom_id":"${'x'.repeat(MAX_ROW_BYTES)}"}\n${result('c', 50)}`, 1_000_000);
    expect(results.counted()).toMatchObject({ usage: { total: 50 }, cost: { unpriced: true } });
  });
});

describe('rows of an output', () => {
  test.for([1, 7, 1_000])('pass as they are and are counted, in pieces of %i bytes', async (size) => {
    const { counter, budget } = world();
    const rows = counter();
    const text = `${row('r1', 100)}\n${row('r2', 50)}${FAILED}`;
    expect(await read(rows, text, size)).toBe(text);
    const { usage, model, cost, estimated } = rows.counted();
    expect([usage?.total, model, estimated, cost?.unpriced]).toEqual([150, 'gpt-4o', false, false]);
    expect(budget.used).toBe(0);
  });

  test('cost half', async () => {
    const rows = world().counter();
    await read(rows, row('r1', 1_000_000));
    const price = prices.priceOf({ provider: 'openai', prices: undefined }, { asked: 'gpt-4o' });
    expect(price).toBeDefined();
    expect(rows.counted().cost).toEqual({ nanoDollars: 1_250_000_000, unpriced: false });
  });

  test('are counted once, and those that were not reached the first time then', async () => {
    const { counter } = world();
    const text = row('r1', 1) + row('r2', 10) + row('r3', 100);
    const [first, second, third] = [counter(), counter(), counter()];
    await read(first, text, row('r1', 1).length, 2);
    const seen = first.counted().usage?.total ?? 0;
    expect(seen).toBeGreaterThan(0);
    expect(seen).toBeLessThan(111);
    await read(second, text);
    expect(seen + (second.counted().usage?.total ?? 0)).toBe(111);
    await read(third, text);
    expect(third.counted().usage).toBeUndefined();
  });

  test('are counted once where two calls read them at the same time', async () => {
    const { counter } = world();
    const [first, second] = [counter(), counter()];
    const text = row('r1', 5) + row('r2', 7);
    await Promise.all([read(first, text, 10), read(second, text, 10)]);
    expect([first, second].map((rows) => rows.counted().usage?.total).toSorted()).toEqual([12, undefined]);
  });

  test('of an output that has to be whole are not counted where it breaks off', async () => {
    const { counter, kept } = world();
    const rows = counter('a', true);
    const text = row('r1', 5) + row('r2', 7);
    await read(rows, text, row('r1', 5).length, 1);
    expect([rows.counted().usage, kept.size]).toEqual([undefined, 0]);
    const again = counter('a', true);
    await read(again, text);
    expect(again.counted().usage?.total).toBe(12);
  });

  test('of other outputs and of other accounts are others', async () => {
    const { counter, kept } = world();
    for (const [account, id, output] of [
      ['a', 'r1', 'file o'],
      ['a', 'r2', 'file o'],
      ['b', 'r1', 'file o'],
      ['a', 'r1', 'file made by a client'],
    ] as const) {
      const rows = counter(account, false, output);
      await read(rows, row(id, 5));
      expect(rows.counted().usage?.total).toBe(5);
    }
    expect(kept.size).toBe(4);
  });

  test('have shares by model, whose sum is the whole', async () => {
    const rows = world().counter();
    const text = row('r1', 100, 'gpt-4o') + row('r2', 10, 'gpt-4o-mini') + row('r3', 1, 'gpt-4o') + FAILED;
    await read(rows, text);
    const { shares = [], usage, cost } = rows.counted();
    expect(shares.map((share) => [share.model, share.usage.total])).toEqual([
      ['gpt-4o', 101],
      ['gpt-4o-mini', 10],
    ]);
    expect(shares.every((share) => share.cost.nanoDollars > 0)).toBe(true);
    expect(usage?.total).toBe(111);
    expect(cost?.nanoDollars).toBe(shares.reduce((sum, share) => sum + share.cost.nanoDollars, 0));
  });

  test.for([
    ['at the end', (names: readonly string[]) => [...names, 'n'.repeat(257)]],
    ['at the beginning', (names: readonly string[]) => ['n'.repeat(257), ...names]],
  ] as const)(
    'have one share, the last, for models beyond the first 19 and for a name that is too long %s',
    async ([, place]) => {
      const rows = world().counter();
      const names = place(Array.from({ length: 150 }, (_, at) => `m${at}`));
      await read(rows, names.map((name, at) => row(`r${at}`, 1, name)).join(''));
      const { shares = [], usage, model } = rows.counted();
      expect(shares).toHaveLength(20);
      expect(shares.findIndex((share) => share.model === undefined)).toBe(19);
      expect(shares.at(-1)?.usage.total).toBe(132);
      expect(usage?.total).toBe(151);
      expect(model).toBeUndefined();
    },
  );

  test('of several models name none', async () => {
    const rows = world().counter();
    await read(rows, row('r1', 1, 'gpt-4o') + row('r2', 1, 'gpt-4o-mini'));
    expect(rows.counted()).toMatchObject({ model: undefined, usage: { total: 2 } });
  });

  test.for([
    { rule: 'too long', bad: row('r2', 1, 'a'.repeat(MAX_ROW_BYTES)), bytes: 20_000_000 },
    { rule: 'no room for it', bad: row('r2', 1, 'a'.repeat(5_000)), bytes: 1_000 },
    { rule: 'no JSON', bad: '{"id":\n', bytes: 1_000 },
  ])('of which one cannot be read have no known price, and pass all the same: $rule', async ({ bad, bytes }) => {
    const { counter, budget } = world(bytes);
    const rows = counter();
    const text = row('r1', 1) + bad + row('r3', 1);
    expect((await read(rows, text)) === text).toBe(true);
    expect(rows.counted()).toMatchObject({ usage: { total: 2 }, cost: { unpriced: true } });
    expect(budget.used).toBe(0);
  });
});

test.for([
  '',
  'plain text\n',
  '{"custom_id":"a","method":"POST","url":"/v1/chat/completions","body":{"usage":{"total_tokens":5}}}\n',
  '[1]\n',
  '\u0000\u0001binary'.repeat(1_000),
])('other content is not counted: %j', async (text) => {
  const { counter, kept, budget } = world();
  const rows = counter();
  expect(await read(rows, text, 3)).toBe(text);
  expect([rows.counted().usage, kept.size, budget.used]).toEqual([undefined, 0, 0]);
});
