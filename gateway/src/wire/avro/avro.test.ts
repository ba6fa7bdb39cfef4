import { avroBytes, avroDouble, avroFile, avroFloat, avroLong, avroText } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createByteBudget } from '../../lib/byte-budget.ts';
import { AVRO_LIMITS, type AvroLimits, AvroProblem, readAvro } from './index.ts';

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

interface Given {
  readonly size?: number;
  readonly memory?: number;
  readonly limits?: Partial<AvroLimits>;
}

async function read(bytes: Buffer, { size = 1_000, memory = 1 << 26, limits = {} }: Given = {}) {
  const budget = createByteBudget(memory);
  const account = budget.open();
  const values: unknown[] = [];
  try {
    const options = { memory: account, limits: { ...AVRO_LIMITS, ...limits } };
    for await (const value of readAvro(pieces(bytes, size), options)) values.push(value);
  } finally {
    expect(budget.used).toBe(0);
  }
  return values;
}

const problemOf = (bytes: Buffer, given?: Given): Promise<unknown> =>
  read(bytes, given).then(
    () => 'none',
    (error: unknown) => (error instanceof AvroProblem ? error.message : error),
  );

/** Of the writer of avsc 5.7.9, two records, each in a block. */
const REFERENCE = {
  null: 'T2JqAQQWYXZyby5zY2hlbWHaCnsibmFtZSI6ImNvbS5leGFtcGxlLkVtYmVkUmVjb3JkIiwidHlwZSI6InJlY29yZCIsImZpZWxkcyI6W3sibmFtZSI6ImN1c3RvbV9pZCIsInR5cGUiOlsibnVsbCIsInN0cmluZyJdLCJkZWZhdWx0IjpudWxsfSx7Im5hbWUiOiJpZCIsInR5cGUiOlsibnVsbCIsInN0cmluZyJdfSx7Im5hbWUiOiJ0ZXh0IiwidHlwZSI6InN0cmluZyJ9LHsibmFtZSI6ImVtYmVkZGluZ3MiLCJ0eXBlIjp7Im5hbWUiOiJjb20uZXhhbXBsZS5WZWN0b3JzIiwidHlwZSI6InJlY29yZCIsImZpZWxkcyI6W3sibmFtZSI6ImZsb2F0IiwidHlwZSI6WyJudWxsIix7InR5cGUiOiJhcnJheSIsIml0ZW1zIjoiZG91YmxlIn1dfSx7Im5hbWUiOiJpbnQ4IiwidHlwZSI6WyJudWxsIix7InR5cGUiOiJhcnJheSIsIml0ZW1zIjoiaW50In1dfV19fSx7Im5hbWUiOiJmdXJ0aGVyIiwidHlwZSI6eyJ0eXBlIjoibWFwIiwidmFsdWVzIjoibG9uZyJ9fSx7Im5hbWUiOiJraW5kIiwidHlwZSI6eyJuYW1lIjoiY29tLmV4YW1wbGUuS2luZCIsInR5cGUiOiJlbnVtIiwic3ltYm9scyI6WyJBIiwiQiJdfX0seyJuYW1lIjoiaGFzaCIsInR5cGUiOnsibmFtZSI6ImNvbS5leGFtcGxlLkhhc2giLCJ0eXBlIjoiZml4ZWQiLCJzaXplIjoyfX0seyJuYW1lIjoibmV4dCIsInR5cGUiOlsibnVsbCIsImNvbS5leGFtcGxlLkVtYmVkUmVjb3JkIl19XX0UYXZyby5jb2RlYwhudWxsAAcHBwcHBwcHBwcHBwcHBwcCbAICYQIIdS1IaQRIaQIEAAAAAAAA4D8AAAAAAAD0vwACBAH+AQAEAmGAgICAgEACYgUAAgECAAcHBwcHBwcHBwcHBwcHBwcCnAEAAgh1LcOpBMOpAAIEAf4BAAQCYYCAgICAQAJiBQACAQICAgJuAgZ1LXgCeAICAAAAAAAA8D8AAgQB/gEABAJhgICAgIBAAmIFAAIBAgAHBwcHBwcHBwcHBwcHBwcH',
  deflate:
    'T2JqAQQWYXZyby5zY2hlbWHaCnsibmFtZSI6ImNvbS5leGFtcGxlLkVtYmVkUmVjb3JkIiwidHlwZSI6InJlY29yZCIsImZpZWxkcyI6W3sibmFtZSI6ImN1c3RvbV9pZCIsInR5cGUiOlsibnVsbCIsInN0cmluZyJdLCJkZWZhdWx0IjpudWxsfSx7Im5hbWUiOiJpZCIsInR5cGUiOlsibnVsbCIsInN0cmluZyJdfSx7Im5hbWUiOiJ0ZXh0IiwidHlwZSI6InN0cmluZyJ9LHsibmFtZSI6ImVtYmVkZGluZ3MiLCJ0eXBlIjp7Im5hbWUiOiJjb20uZXhhbXBsZS5WZWN0b3JzIiwidHlwZSI6InJlY29yZCIsImZpZWxkcyI6W3sibmFtZSI6ImZsb2F0IiwidHlwZSI6WyJudWxsIix7InR5cGUiOiJhcnJheSIsIml0ZW1zIjoiZG91YmxlIn1dfSx7Im5hbWUiOiJpbnQ4IiwidHlwZSI6WyJudWxsIix7InR5cGUiOiJhcnJheSIsIml0ZW1zIjoiaW50In1dfV19fSx7Im5hbWUiOiJmdXJ0aGVyIiwidHlwZSI6eyJ0eXBlIjoibWFwIiwidmFsdWVzIjoibG9uZyJ9fSx7Im5hbWUiOiJraW5kIiwidHlwZSI6eyJuYW1lIjoiY29tLmV4YW1wbGUuS2luZCIsInR5cGUiOiJlbnVtIiwic3ltYm9scyI6WyJBIiwiQiJdfX0seyJuYW1lIjoiaGFzaCIsInR5cGUiOnsibmFtZSI6ImNvbS5leGFtcGxlLkhhc2giLCJ0eXBlIjoiZml4ZWQiLCJzaXplIjoyfX0seyJuYW1lIjoibmV4dCIsInR5cGUiOlsibnVsbCIsImNvbS5leGFtcGxlLkVtYmVkUmVjb3JkIl19XX0UYXZyby5jb2RlYw5kZWZsYXRlAAcHBwcHBwcHBwcHBwcHBwcCXGNiSmTiKNX1yGTxyGRiYQCDB/YQ+st+BiYWxn+MDCxMiQ0g4MCUxMrAxMjEAAAHBwcHBwcHBwcHBwcHBwcHAmxjYOIo1T28kuXwSgYmFsZ/jAwsTIkNIODAlMTKwMTIxMTElMfEVqpbwVTBxMQABh/scahlAAAHBwcHBwcHBwcHBwcHBwcH',
};

const row = (more: object) => ({
  ...{ further: { a: 2 ** 40, b: -3 }, kind: 'B', hash: Buffer.from([1, 2]), next: null },
  ...more,
});
const vectors = (float: readonly number[] | null) => ({ float, int8: [-1, 127] });
const REFERENCE_ROWS = [
  row({ custom_id: 'a', id: 'u-Hi', text: 'Hi', embeddings: vectors([0.5, -1.25]) }),
  row({
    ...{ custom_id: null, id: 'u-é', text: 'é', embeddings: vectors(null) },
    next: row({ custom_id: 'n', id: 'u-x', text: 'x', embeddings: vectors([1]) }),
  }),
];

test.for(['null', 'deflate'] as const)('a file of another writer is read, packed with %s', async (codec) => {
  const bytes = Buffer.from(REFERENCE[codec], 'base64');
  for (const size of [1, 7, bytes.length]) expect(await read(bytes, { size })).toEqual(REFERENCE_ROWS);
});

interface Encoded {
  readonly value: unknown;
  readonly bytes: Buffer;
}

/** A schema, and its values with their bytes. */
interface Kind {
  readonly schema: unknown;
  readonly value: fc.Arbitrary<Encoded>;
}

const as = <T>(values: fc.Arbitrary<T>, write: (value: T) => Buffer): fc.Arbitrary<Encoded> =>
  values.map((value) => ({ value, bytes: write(value) }));

const safe = fc.maxSafeInteger().map((value) => (value === 0 ? 0 : value));
const bytesOf = (size: number) =>
  fc.uint8Array({ minLength: size, maxLength: size }).map((array) => Buffer.from(array));

const LEAVES: readonly Kind[] = [
  { schema: 'null', value: fc.constant({ value: null, bytes: Buffer.alloc(0) }) },
  { schema: 'boolean', value: as(fc.boolean(), (value) => Buffer.from([value ? 1 : 0])) },
  { schema: 'int', value: as(fc.integer(), avroLong) },
  { schema: { type: 'long', logicalType: 'timestamp-millis' }, value: as(safe, avroLong) },
  { schema: 'float', value: as(fc.float({ noNaN: true }), avroFloat) },
  { schema: 'double', value: as(fc.double({ noNaN: true }), avroDouble) },
  { schema: 'string', value: as(fc.string({ unit: 'grapheme' }), avroText) },
  { schema: 'bytes', value: as(bytesOf(5), avroBytes) },
];

const joined = (parts: readonly Encoded[]): Buffer => Buffer.concat(parts.map(({ bytes }) => bytes));
const valuesOf = (parts: readonly Encoded[]): unknown[] => parts.map(({ value }) => value);

/** Items in one block, with or without its size. */
const items = (value: fc.Arbitrary<Encoded>, toValue: (parts: readonly Encoded[]) => unknown): fc.Arbitrary<Encoded> =>
  fc.tuple(fc.array(value, { maxLength: 4 }), fc.boolean()).map(([parts, isSized]) => {
    const bytes = joined(parts);
    const count = isSized ? [avroLong(-parts.length), avroLong(bytes.length)] : [avroLong(parts.length)];
    const block = parts.length === 0 ? [] : [...count, bytes];
    return { value: toValue(parts), bytes: Buffer.concat([...block, avroLong(0)]) };
  });

let names = 0;
const newName = (): string => {
  names += 1;
  return `N${names}`;
};

const array = ({ schema, value }: Kind): Kind => ({
  schema: { type: 'array', items: schema },
  value: items(value, valuesOf),
});

const map = ({ schema, value }: Kind): Kind => ({
  schema: { type: 'map', values: schema },
  value: items(
    fc.tuple(fc.string(), value).map(([key, { value: own, bytes }]) => ({
      value: [key, own],
      bytes: Buffer.concat([avroText(key), bytes]),
    })),
    (parts) => Object.fromEntries(parts.map((part) => part.value as [string, unknown])), // pairs, as above
  ),
});

const union = (kinds: readonly Kind[]): Kind => ({
  schema: kinds.map(({ schema }) => schema),
  value: fc.oneof(
    ...kinds.map(({ value }, at) =>
      value.map(({ value: own, bytes }) => ({ value: own, bytes: Buffer.concat([avroLong(at), bytes]) })),
    ),
  ),
});

const record = (kinds: readonly Kind[]): Kind => {
  const fields = ['__proto__', 'a', 'b', 'c'].slice(0, kinds.length);
  return {
    schema: {
      type: 'record',
      name: newName(),
      fields: kinds.map(({ schema }, at) => ({ name: fields[at], type: schema })),
    },
    value: fc.tuple(...kinds.map(({ value }) => value)).map((parts) => ({
      value: Object.fromEntries(parts.map(({ value }, at) => [fields[at], value])),
      bytes: joined(parts),
    })),
  };
};

const { kind } = fc.letrec<{ kind: Kind }>((tie) => ({
  kind: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(...LEAVES),
    tie('kind').map(array),
    tie('kind').map(map),
    fc.array(tie('kind'), { minLength: 1, maxLength: 3 }).map(union),
    fc.array(tie('kind'), { minLength: 1, maxLength: 4 }).map(record),
  ),
}));

/** With one byte more at least: a block has no more records than bytes. */
const file = kind
  .map((inner) => record([inner, ...LEAVES.slice(1, 2)]))
  .chain(({ schema, value }) =>
    fc.record({
      schema: fc.constant(schema),
      blocks: fc.array(fc.array(value, { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
      codec: fc.constantFrom('null', 'deflate'),
      size: fc.integer({ min: 1, max: 64 }),
    }),
  )
  .map(({ schema, blocks, codec, size }) => ({
    bytes: avroFile({ schema, codec, blocks: blocks.map((parts) => parts.map(({ bytes }) => bytes)) }),
    values: valuesOf(blocks.flat()),
    size,
  }));

test('what is written is read, whatever the schema, and whatever the pieces', async () => {
  await fc.assert(
    fc.asyncProperty(file, async ({ bytes, values, size }) => {
      expect(await read(bytes, { size })).toEqual(values);
    }),
  );
});

test('a file that is cut or changed is read, or refused without another error', async () => {
  await fc.assert(
    fc.asyncProperty(file, fc.nat(), fc.nat({ max: 255 }), fc.boolean(), async ({ bytes }, at, byte, isCut) => {
      const place = at % bytes.length;
      const changed = isCut ? bytes.subarray(0, place) : Buffer.from(bytes);
      if (!isCut) changed[place] = byte;
      expect(typeof (await problemOf(changed, { limits: { blockBytes: 4_096 } }))).toBe('string');
    }),
  );
});

const text = (value: string): Buffer => avroText(value);
const of = (schema: unknown, ...records: Buffer[]): Buffer => avroFile({ schema, blocks: [records] });

describe('limits', () => {
  const fanOut = Array.from({ length: 40 }, (_, at) => ({
    ...{ type: 'record', name: `R${at + 1}` },
    fields: ['a', 'b'].map((name) => ({ name, type: `R${at}` })),
  }));
  const empty = { type: 'record', name: 'R0', fields: [] };

  test.for([
    { rule: 'a block', bytes: of('string', text('x'.repeat(200))), limits: { blockBytes: 100 }, want: 'more than 100' },
    { rule: 'a record', bytes: of('string', text('x'.repeat(200))), limits: { recordBytes: 100 }, want: 'too large' },
    {
      rule: 'what a block is unpacked to',
      bytes: avroFile({ schema: 'string', codec: 'deflate', blocks: [[text('x'.repeat(2_000_000))]] }),
      limits: {},
      want: 'unpacked',
    },
    {
      rule: 'records in a block',
      bytes: of('null', ...Array.from({ length: 9 }, () => Buffer.alloc(0))),
      want: 'more records',
    },
    {
      rule: 'items of nothing',
      bytes: of({ type: 'array', items: 'null' }, Buffer.concat([avroLong(2 ** 50), avroLong(0)])),
      want: 'more values',
    },
    {
      rule: 'records of nothing',
      bytes: of(['int', empty, ...fanOut], Buffer.concat([avroLong(41), avroLong(0)])),
      want: 'more values',
    },
    {
      rule: 'nesting',
      bytes: of(
        { type: 'record', name: 'R', fields: [{ name: 'r', type: ['null', 'R'] }] },
        Buffer.concat(Array.from({ length: 200 }, () => avroLong(1))),
      ),
      want: 'nested',
    },
    { rule: 'a schema', bytes: of(['x'.repeat(70_000)]), want: 'schema' },
  ])('of $rule', async ({ bytes, limits = {}, want }) => {
    expect(await problemOf(bytes, { limits })).toContain(want);
  });

  test('a block is in memory, and no more', async () => {
    const block = [text('x'.repeat(1_000)), text('y'.repeat(1_000))];
    const bytes = avroFile({ schema: 'string', blocks: Array.from({ length: 50 }, () => block) });
    expect(await read(bytes, { memory: 6_500 })).toHaveLength(100);
    expect(await problemOf(bytes, { memory: 1_000 })).toMatchObject({ code: 'MEMORY_EXHAUSTED' });
  });

  test('a reader that leaves ends the source', async () => {
    let isClosed = false;
    const source = (async function* () {
      try {
        yield of('int', avroLong(1), avroLong(2));
      } finally {
        isClosed = true;
      }
    })();
    const budget = createByteBudget(1_000);
    for await (const value of readAvro(source, { memory: budget.open() })) {
      expect(value).toBe(1);
      break;
    }
    expect([isClosed, budget.used]).toEqual([true, 0]);
  });
});

describe('refused is', () => {
  const good = of('string', text('abc'));
  const changed = (at: number): Buffer => {
    const bytes = Buffer.from(good);
    bytes[at < 0 ? bytes.length + at : at] = 0;
    return bytes;
  };

  test.for([
    { rule: 'another file', bytes: Buffer.from('PK\u0003\u0004 and more'), want: 'no Avro file' },
    {
      rule: 'a packing that is not known',
      bytes: avroFile({ schema: 'int', blocks: [], codec: 'snappy' }),
      want: 'packed',
    },
    { rule: 'another mark', bytes: changed(-1), want: 'does not end' },
    { rule: 'a block that is cut', bytes: good.subarray(0, -1), want: 'ends too early' },
    {
      rule: 'more bytes than records',
      bytes: of('int', Buffer.concat([avroLong(1), avroLong(2)])),
      want: 'more bytes',
    },
    { rule: 'a branch that is not there', bytes: of(['null', 'int'], avroLong(2)), want: 'none of its type' },
    { rule: 'no schema of JSON', bytes: of(Buffer.from('{')), want: 'schema' },
    { rule: 'a type that is not known', bytes: of({ type: 'sk-secret' }), want: 'not known' },
    {
      rule: 'a field twice',
      bytes: of({
        type: 'record',
        name: 'R',
        fields: [
          { name: 'a', type: 'int' },
          { name: 'a', type: 'int' },
        ],
      }),
      want: 'name',
    },
    { rule: 'a size below zero', bytes: of('string', avroLong(-1)), want: 'too early' },
  ])('$rule', async ({ bytes, want }) => {
    expect(await problemOf(bytes)).toContain(want);
  });
});
