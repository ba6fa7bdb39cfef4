import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMemoryVectors, toUnit } from './vectors.ts';

const unit = (...values: number[]): Float32Array => {
  const vector = toUnit(values);
  if (vector === undefined) throw new Error('no direction');
  return vector;
};
const setup = (maxBytes = 1_000_000) => {
  let nowMs = 0;
  const vectors = createMemoryVectors({ now: () => nowMs, maxBytes });
  const add = (partition: string, key: string, vector: Float32Array, ttlSeconds = 60) =>
    vectors.set(partition, { key, vector, ttlSeconds });
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  const nearest = (partition: string, vector: Float32Array, least = -1) => vectors.nearest(partition, vector, least);
  return { ...vectors, nearest, add, pass };
};

describe('the nearest vector', () => {
  test('is the one with the largest cosine, of its partition', async () => {
    const { add, nearest } = setup();
    add('p', 'east', unit(1, 0));
    add('p', 'north', unit(0, 1));
    add('other', 'exact', unit(3, 1));
    const similarity = expect.closeTo(3 / Math.sqrt(10), 5);
    expect(await nearest('p', unit(3, 1))).toMatchObject({ key: 'east', similarity });
    expect(await nearest('nothing', unit(3, 1))).toBeUndefined();
  });

  test.for([4, 200])('is what a comparison of all finds, with %i dimensions', async (dimensions) => {
    const numbers = { minLength: dimensions, maxLength: dimensions };
    const direction = fc
      .array(fc.double({ min: -1, max: 1, noNaN: true }), numbers)
      .filter((values) => toUnit(values) !== undefined);
    const directions = fc.array(direction, { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(
        directions,
        fc.double({ min: -1, max: 1, noNaN: true }),
        async ([asked = [], ...others], least) => {
          const { add, nearest } = setup();
          others.forEach((values, i) => void add('p', String(i), unit(...values)));
          const cosines = others.map((values) => {
            const [a, b] = [unit(...asked), unit(...values)];
            return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
          });
          const most = Math.max(...cosines);
          fc.pre(Math.abs(most - least) > 1e-4);
          const found = await nearest('p', unit(...asked), least);
          if (most < least) expect(found).toBeUndefined();
          else expect(found?.similarity).toBeCloseTo(most, 4);
        },
      ),
      { numRuns: 50 },
    );
  });

  test('is none that has expired, was taken out or has another length', async () => {
    const { add, nearest, pass, delete: remove } = setup();
    add('p', 'short', unit(1, 0), 1);
    add('p', 'removed', unit(1, 0));
    add('p', 'wide', unit(1, 0, 0));
    add('p', 'far', unit(0, 1));
    remove('p', 'removed');
    remove('p', 'never there');
    pass(1_000);
    expect((await nearest('p', unit(1, 0)))?.key).toBe('far');
  });

  test('is that of the newest vector of a key', async () => {
    const { add, nearest } = setup();
    add('p', 'a', unit(1, 0));
    add('p', 'a', unit(0, 1));
    expect((await nearest('p', unit(1, 0)))?.similarity).toBeCloseTo(0);
  });
});

describe('memory', () => {
  const wide = (first: number): Float32Array => unit(first, ...Array.from({ length: 999 }, () => 1));

  test('of one partition is bounded by its oldest vectors', async () => {
    const { add, nearest } = setup(20_000);
    for (let i = 0; i < 50; i += 1) add('p', `key-${i}`, wide(1_000 * i + 1));
    expect((await nearest('p', wide(49_001)))?.key).toBe('key-49');
    const oldest = await nearest('p', wide(1));
    expect(Number(oldest?.key.slice(4))).toBeGreaterThan(44);
  });

  test('of all is bounded by the partitions that are used least', async () => {
    const { add, nearest } = setup(20_000);
    for (let i = 0; i < 10; i += 1) add(`p-${i}`, 'a', wide(1));
    expect(await nearest('p-0', wide(1))).toBeUndefined();
    expect(await nearest('p-9', wide(1))).toBeDefined();
  });

  test('holds no vector that is larger than all of it', async () => {
    const { add, nearest } = setup(1_000);
    add('p', 'a', wide(1));
    expect(await nearest('p', wide(1))).toBeUndefined();
  });
});

test.for([
  { values: [3, 4], want: [0.6, 0.8] },
  { values: [], want: undefined },
  { values: [0, 0], want: undefined },
  { values: [1, '1'], want: undefined },
  { values: [Number.POSITIVE_INFINITY, 1], want: undefined },
  { values: [Number.NaN], want: undefined },
  { values: Array.from({ length: 8_193 }, () => 1), want: undefined },
  { values: 'base64', want: undefined },
  { values: undefined, want: undefined },
])('a vector has length 1 or is none: %#', ({ values, want }) => {
  const vector = toUnit(values);
  expect(vector && [...vector].map((value) => Number(value.toFixed(5)))).toEqual(want);
});
