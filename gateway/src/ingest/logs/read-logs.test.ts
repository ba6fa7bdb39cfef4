import { describe, expect, test } from 'vitest';
import { MAX_ELEMENTS, readLogs } from './read-logs.ts';

const context = { nowMs: 2, oldestMs: 0, newestMs: 3, account: () => undefined };

/** An object that counts how many of its values are read. */
function counted<T extends object>(given: T) {
  const counter = { reads: 0 };
  const value = new Proxy(given, {
    get: (target, name, receiver) => {
      if (typeof name === 'string' && name !== 'constructor') counter.reads += 1;
      return Reflect.get(target, name, receiver);
    },
  });
  return { value, counter };
}

const many = (count: number, value: unknown = 'a') =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`name-${at}`, value]));

const refused = async (given: unknown): Promise<unknown> => {
  try {
    await readLogs(given, context);
  } catch (error) {
    return (error as { param?: unknown }).param;
  }
  return expect.fail('was taken');
};

describe('what clients name freely is not read beyond its bounds', () => {
  test.for([
    ['request.headers', (value: object) => ({ request: { url: '/', headers: value } })],
    ['response.headers', (value: object) => ({ request: { url: '/' }, response: { headers: value } })],
    ['metadata', (value: object) => ({ request: { url: '/' }, metadata: value })],
  ] as const)('%s', async ([param, elementOf]) => {
    for (const given of [many(20_000), many(20_000, {}), many(20_000, 'x'.repeat(40_000))]) {
      const { value, counter } = counted(given);
      expect(await refused(elementOf(value))).toBe(param);
      expect(counter.reads).toBeLessThan(300);
    }
  });

  test('values of one header', async () => {
    const { value, counter } = counted(Array.from({ length: 20_000 }, () => 1));
    expect(await refused({ request: { url: '/', headers: { a: value } } })).toBe('request.headers');
    expect(counter.reads).toBeLessThan(100);
  });

  test('elements', async () => {
    const { value, counter } = counted(Array.from({ length: MAX_ELEMENTS + 1 }, () => ({ request: { url: '/' } })));
    expect(await refused(value)).toBe('');
    expect(counter.reads).toBeLessThan(10);
  });
});
