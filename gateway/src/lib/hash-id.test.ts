import { expect, test } from 'vitest';
import { hashId } from './hash-id.ts';

test('is a UUID that is the same for the same parts alone', () => {
  const lists = [['a', 'b'], ['ab'], ['a', 'b', ''], ['', 'ab'], ['b', 'a'], ['1:a1:b'], ['a\0b']];
  const ids = lists.map(hashId);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(ids).size).toBe(lists.length);
  expect(hashId([Buffer.from('a'), 'b'])).toBe(ids[0]);
});
