import { setImmediate as turn } from 'node:timers/promises';
import { avroDouble, avroFile, avroLong, avroText } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { createByteBudget } from '../../lib/byte-budget.ts';
import { AvroProblem, Quota, readAvro } from './index.ts';

const MIB = 1024 * 1024;

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

interface Read {
  readonly problem: string;
  readonly records: number;
  /** Of the event loop, while the file was read. */
  readonly turns: number;
  /** Most bytes that were counted, at a record. */
  readonly used: number;
}

async function read(bytes: Buffer, { memory = 64 * MIB, size = 64 * 1024 } = {}): Promise<Read> {
  const budget = createByteBudget(memory);
  let [records, turns, used, isDone, problem] = [0, 0, 0, false, 'none'];
  const counted = (async () => {
    for (; !isDone; turns += 1) await turn();
  })();
  try {
    for await (const _ of readAvro(pieces(bytes, size), { memory: budget.open() })) {
      records += 1;
      used = Math.max(used, budget.used);
    }
  } catch (error) {
    if (!(error instanceof AvroProblem)) throw error;
    problem = error.message;
  } finally {
    isDone = true;
  }
  await counted;
  expect(budget.used).toBe(0);
  return { problem, records, turns, used };
}

const recordOf = (...types: unknown[]) => ({
  ...{ type: 'record', name: 'r' },
  fields: types.map((type, at) => ({ name: `f${at}`, type })),
});
const listOf = (items: unknown) => ({ type: 'array', items });
const list = (count: number, items: Buffer): Buffer => Buffer.concat([avroLong(count), items, avroLong(0)]);
const repeated = (count: number, bytes: Buffer): Buffer[] => Array.from({ length: count }, () => bytes);

describe('refused is a record', () => {
  const nulls = Object.assign(recordOf(...repeated(95, Buffer.alloc(0)).map(() => 'null')), { name: 'n' });
  const nothing = { type: 'record', name: 'nothing', fields: [] };

  test.for([
    {
      rule: 'of nulls in a list',
      schema: listOf('null'),
      record: list(101, Buffer.alloc(0)),
      want: 'a record has more',
    },
    {
      rule: 'of nulls in records',
      schema: recordOf('boolean', nulls, 'n'),
      record: avroLong(0),
      want: 'a record has more',
    },
    { rule: 'without bytes', schema: recordOf('null'), record: Buffer.alloc(0), want: 'a record has no bytes' },
    {
      rule: 'of empty records',
      schema: listOf(nothing),
      record: list(101, Buffer.alloc(0)),
      want: 'a record has more',
    },
    {
      rule: 'of empty maps',
      schema: listOf({ type: 'map', values: 'null' }),
      record: list(20_001, Buffer.alloc(20_001)),
      want: 'a record is too large',
    },
    {
      rule: 'of keys',
      schema: { type: 'map', values: 'boolean' },
      record: list(
        10_001,
        Buffer.concat(Array.from({ length: 10_001 }, (_, at) => Buffer.concat([avroText(`${at}`), Buffer.alloc(1)]))),
      ),
      want: 'a record is too large',
    },
    { rule: 'longer than 1 MiB', schema: 'string', record: avroText('x'.repeat(MIB)), want: 'too large' },
  ])('$rule', async ({ schema, record, want }) => {
    // Another record, so that the block has bytes.
    const bytes = avroFile({ schema, blocks: [[record, Buffer.alloc(4)]] });
    expect(await read(bytes)).toMatchObject({ problem: expect.stringContaining(want), records: 0 });
  });
});

test('a row with vectors of all types is read, nulls and all', async () => {
  const schema = recordOf('string', listOf('double'), listOf('int'), listOf(['null', 'string']), 'null');
  const record = Buffer.concat([
    avroText('a'),
    list(4_096, Buffer.concat(repeated(4_096, avroDouble(0.5)))),
    list(12_000, Buffer.alloc(12_000)),
    list(3_000, Buffer.alloc(3_000)),
  ]);
  for (const codec of ['null', 'deflate']) {
    const bytes = avroFile({ schema, codec, blocks: repeated(3, record).map((one) => [one, one]) });
    expect(await read(bytes)).toMatchObject({ problem: 'none', records: 6 });
  }
});

describe('refused is a block', () => {
  test('with more values without bytes than its bytes may stand for', async () => {
    const schema = recordOf('boolean', ...Array.from({ length: 50 }, () => 'null'));
    const bytes = avroFile({ schema, blocks: [repeated(10_000, avroLong(0))] });
    const { problem, records } = await read(bytes);
    expect(problem).toContain('a block has more values');
    expect(records).toBeLessThan(100);
  });

  test('with more values than its bytes may stand for', async () => {
    const deep = Array.from({ length: 15 }, (_, at) => at).reduce<unknown>(
      (inner, at) => Object.assign(recordOf(inner), { name: `d${at}` }),
      'boolean',
    );
    const { problem, records } = await read(avroFile({ schema: deep, blocks: [repeated(10_000, avroLong(0))] }));
    expect(problem).toContain('a block has more values');
    expect(records).toBeLessThan(2_000);
  });

  test('that is unpacked to more than its bytes may stand for', async () => {
    const bytes = avroFile({
      schema: 'string',
      codec: 'deflate',
      blocks: [repeated(4, avroText('x'.repeat(500_000)))],
    });
    expect((await read(bytes)).problem).toContain('unpacked to more');
  });
});

describe('whole files', () => {
  const schema = listOf('boolean');
  /** Packed to some hundred bytes. A block of 64 KiB is taken by itself, however small it is packed. */
  const block = repeated(3, list(19_000, Buffer.alloc(19_000)));
  const blocks = Array.from({ length: 40 }, () => block);

  test.for([
    { of: 'that are packed', codec: 'deflate', want: 'its files have more than 2000000 values and 16 for each byte' },
    { of: 'that are not', codec: 'null', want: 'none' },
  ])('$of have values for each of their bytes, and some beyond', async ({ codec, want }) => {
    const { problem, records } = await read(avroFile({ schema, codec, blocks }));
    expect(problem).toContain(want);
    expect(records).toBeGreaterThan(104);
  });

  test('have some records beyond, too', async () => {
    const small = Array.from({ length: 7 }, () => repeated(32_000, avroLong(0)));
    const { problem, records } = await read(avroFile({ schema: 'boolean', codec: 'deflate', blocks: small }));
    expect(problem).toContain('its files have more than 2000000 values');
    expect(records).toBeLessThan(200_000);
  });

  test('are unpacked to some times their bytes, and some beyond', async () => {
    const long = Array.from({ length: 400 }, () => [avroText('x'.repeat(60_000))]);
    const { problem, records } = await read(avroFile({ schema: 'string', codec: 'deflate', blocks: long }));
    expect(problem).toContain('its files are unpacked to more than 16777216 bytes and 64 for each byte');
    expect(records).toBeGreaterThan(250);
  });

  test('that belong together have one quota', async () => {
    const bytes = avroFile({ schema, codec: 'deflate', blocks: blocks.slice(0, 20) });
    const options = { memory: createByteBudget(MIB).open(), quota: new Quota() };
    const all = async () => {
      for await (const _ of readAvro(pieces(bytes, MIB), options));
    };
    await all();
    await expect(all()).rejects.toThrow('its files have more than 2000000 values');
  });
});

describe('the event loop turns', () => {
  test.for([
    { of: 'small records', blocks: [repeated(200_000, avroLong(0))], records: 200_000 },
    { of: 'small blocks', blocks: Array.from({ length: 2_000 }, () => [avroLong(0)]), records: 2_000 },
    { of: 'empty blocks', blocks: Array.from({ length: 2_000 }, () => []), records: 0 },
  ])('while $of are read', async ({ blocks, records }) => {
    const got = await read(avroFile({ schema: 'boolean', blocks }), { size: 16 * MIB });
    expect(got).toMatchObject({ problem: 'none', records });
    expect(got.turns).toBeGreaterThanOrEqual(15);
  });

  test('while long records are read', async () => {
    const bytes = avroFile({ schema: 'string', blocks: [repeated(15, avroText('x'.repeat(MIB - 10)))] });
    expect((await read(bytes, { size: 16 * MIB })).turns).toBeGreaterThanOrEqual(10);
  });
});

describe('memory', () => {
  /** Packed to about half. */
  const text = (length: number): Buffer => {
    let state = 1;
    const bytes = Buffer.alloc(length);
    for (let at = 0; at < length; at += 1) {
      state = (state * 48_271) % 2_147_483_647;
      bytes[at] = 97 + (state % 16);
    }
    return avroText(bytes.toString());
  };

  test.for(['null', 'deflate'])('a block that is announced alone counts nothing, packed with %s', async (codec) => {
    const budget = createByteBudget(64 * MIB);
    const used: number[] = [];
    const content = (async function* () {
      yield Buffer.concat([avroFile({ schema: 'string', codec, blocks: [] }), avroLong(1), avroLong(16 * MIB)]);
      for (let sent = 0; sent < 5; sent += 1) {
        used.push(budget.used);
        yield Buffer.alloc(10);
      }
    })();
    const values = readAvro(content, { memory: budget.open() });
    await expect(values.next()).rejects.toThrow('ends too early');
    expect(used).toHaveLength(5);
    expect(Math.max(...used)).toBeLessThanOrEqual(2_048);
    expect(budget.used).toBe(0);
  });

  test('a block counts its bytes once it is unpacked', async () => {
    const record = text(200_000);
    const bytes = avroFile({ schema: 'string', codec: 'deflate', blocks: repeated(5, record).map((one) => [one]) });
    const { records, used } = await read(bytes, { size: 1_000 });
    expect(records).toBe(5);
    expect(used).toBeGreaterThanOrEqual(record.length);
    expect(used).toBeLessThanOrEqual(record.length + 1_000);
  });

  test('small budgets are enough for blocks that are packed', async () => {
    const blocks = repeated(5, text(300_000)).map((one) => [one]);
    const bytes = avroFile({ schema: 'string', codec: 'deflate', blocks });
    expect(await read(bytes, { memory: MIB })).toMatchObject({ problem: 'none', records: 5 });
    await expect(read(bytes, { memory: 200_000 })).rejects.toMatchObject({ code: 'MEMORY_EXHAUSTED' });
  });
});

describe('a schema', () => {
  const long = 'n'.repeat(257);
  const allowed = 'n'.repeat(256);
  const fixed = (name: string, more: object = {}) => ({ type: 'fixed', name, size: 1, ...more });

  test.for([
    { rule: 'a namespace', schema: fixed('f', { namespace: long }), want: '256 characters' },
    { rule: 'a name', schema: fixed(long), want: '256 characters' },
    { rule: 'a reference', schema: [long], want: '256 characters' },
    { rule: 'a symbol', schema: { type: 'enum', name: 'e', symbols: [long] }, want: '256 characters' },
    { rule: 'a field', schema: { ...recordOf(), fields: [{ name: long, type: 'int' }] }, want: '256 characters' },
    { rule: 'types', schema: Array.from({ length: 257 }, (_, at) => fixed(`f${at}`)), want: '256 types' },
    { rule: 'fields', schema: recordOf(...Array.from({ length: 1_001 }, () => 'int')), want: '1000 fields' },
    {
      rule: 'fields of all records together',
      schema: Array.from({ length: 11 }, (_, at) =>
        Object.assign(recordOf(...Array.from({ length: 100 }, () => 'int')), { name: `r${at}` }),
      ),
      want: '1000 fields',
    },
  ])('bounds $rule', async ({ schema, want }) => {
    expect((await read(avroFile({ schema, blocks: [] }))).problem).toContain(want);
  });

  test('takes names up to that', async () => {
    const schema = [fixed(allowed, { namespace: allowed }), { type: 'enum', name: 'e', symbols: [allowed] }];
    expect((await read(avroFile({ schema, blocks: [] }))).problem).toBe('none');
  });
});
