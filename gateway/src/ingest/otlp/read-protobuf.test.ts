import { describe, expect, test } from 'vitest';
import { readProtobuf } from './read-protobuf.ts';
import { MAX_ATTRIBUTES, MAX_EVENTS, MAX_ITEMS } from './span.ts';

const FIELDS = 500_000;

function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let left = BigInt(value);
  for (; left >= 0x80n; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(left)]);
}

const field = (number: number, ...content: readonly (Buffer | string)[]): Buffer => {
  const inner = Buffer.concat(content.map((each) => Buffer.from(each)));
  return Buffer.concat([varint(number * 8 + 2), varint(inner.length), inner]);
};
const whole = (number: number, value: number | bigint) => Buffer.concat([varint(number * 8), varint(value)]);
const many = (count: number, make: (at: number) => Buffer) =>
  Buffer.concat(Array.from({ length: count }, (_, i) => make(i)));
const attribute = (name: string, value: Buffer, number = 9) => field(number, field(1, name), field(2, value));
const request = (...spans: readonly Buffer[]) => field(1, field(2, ...spans.map((each) => field(2, each))));

const readAll = (bytes: Buffer, fields = FIELDS) => readProtobuf(bytes, fields).map((read) => read());
const codeOf = (act: () => unknown): unknown => {
  try {
    act();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
  return 'none';
};

test.for([
  [0, 0],
  [127, 127],
  [2 ** 40, 2 ** 40],
  [2 ** 49 - 1, 2 ** 49 - 1],
  [2 ** 49, 2 ** 49],
  [2n ** 62n, 2 ** 62],
  [2n ** 64n - 5n, -5],
] as const)('the varint of %s is %s', ([given, wanted]) => {
  const [span] = readAll(request(attribute('a', whole(3, given))));
  expect(span?.attributes.get('a')).toBe(wanted);
});

test('a varint that does not end is malformed', () => {
  const endless = Buffer.concat([varint(3 * 8), Buffer.alloc(11, 0xff)]);
  expect(codeOf(() => readAll(request(attribute('a', endless))))).toBe('PARAMETER_INVALID');
});

test('the last of several values counts, and fields that are not known do not', () => {
  const value = Buffer.concat([field(1, 'text'), whole(2, 1), field(9, 'other'), whole(4_000, 7)]);
  expect(readAll(request(attribute('a', value)))[0]?.attributes.get('a')).toBe(true);
});

describe('as many parts as are kept', () => {
  const text = field(1, 'v');
  test.for<readonly [string, Buffer, number]>([
    ['attributes', many(1_000, (i) => attribute(`a${i}`, text)), MAX_ATTRIBUTES],
    ['events', many(1_000, () => field(11, field(2, 'e'))), MAX_EVENTS],
    [
      'values of a list',
      attribute(
        'a',
        field(
          5,
          many(1_000, () => field(1, text)),
        ),
      ),
      MAX_ITEMS,
    ],
    [
      'members of an object',
      attribute(
        'a',
        field(
          6,
          many(1_000, (i) => field(1, field(1, `m${i}`))),
        ),
      ),
      MAX_ITEMS,
    ],
  ])('%s', ([what, bytes, most]) => {
    const [span] = readAll(request(bytes));
    const value = span?.attributes.get('a');
    const counts: Readonly<Record<string, number>> = {
      attributes: span?.attributes.size ?? 0,
      events: span?.events.length ?? 0,
    };
    expect(counts[what] ?? Object.keys(value ?? {}).length).toBe(most);
  });
});

describe('work that is refused', () => {
  test.for<readonly [string, () => Buffer]>([
    ['varints in a span', () => request(many(30_000, () => whole(3, 2 ** 62)))],
    ['varints beside resources', () => many(30_000, () => whole(3, 7))],
    [
      'varints in a resource',
      () =>
        field(
          1,
          field(
            1,
            many(30_000, () => whole(3, 7)),
          ),
          field(2, field(2)),
        ),
    ],
    [
      'attributes of events',
      () => {
        const event = field(
          11,
          many(128, (i) => attribute(`a${i}`, field(1, 'v'), 3)),
        );
        return request(many(128, () => event));
      },
    ],
  ])('%s', ([, bytes]) => {
    expect(codeOf(() => readAll(bytes()))).toBe('BODY_TOO_COMPLEX');
  });

  test.for<readonly [string, () => Buffer]>([
    ['resources', () => many(1_001, () => field(1))],
    [
      'scopes',
      () =>
        many(2, () =>
          field(
            1,
            many(1_001, () => field(2)),
          ),
        ),
    ],
    ['spans', () => request(...Array.from({ length: 2_001 }, () => Buffer.alloc(0)))],
  ])('more %s than may be', ([, bytes]) => {
    expect(codeOf(() => readProtobuf(bytes(), FIELDS))).toBe('PARAMETER_INVALID');
  });

  test('all parts together', () => {
    const span = many(100, () => whole(3, 1));
    expect(codeOf(() => readAll(request(span, span), 1_000))).toBe('none');
    expect(codeOf(() => readAll(request(span, span), 150))).toBe('BODY_TOO_COMPLEX');
  });
});

test('spans and resources are read in their turn, a resource once', () => {
  const broken = Buffer.from([0xff]);
  const readers = readProtobuf(
    Buffer.concat([
      field(1, field(1, attribute('service.name', field(1, 'shop'), 1)), field(2, field(2), field(2))),
      field(1, field(1, broken), field(2, field(2))),
    ]),
    FIELDS,
  );
  expect(readers).toHaveLength(3);
  expect(readers[0]?.().resource).toBe(readers[1]?.().resource);
  expect(readers[0]?.().resource.get('service.name')).toBe('shop');
  expect(codeOf(() => readers[2]?.())).toBe('PARAMETER_INVALID');
});
