import { unwrap } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { sampleCall } from '../engine/testing.ts';
import { models } from './models.ts';

const FULL = { result: Array.from({ length: 100 }, (_, at) => ({ name: `@cf/maker/m${at}` })) };

test('a full page of models has a next one, any other is the last', () => {
  const read = (body: unknown, page?: string) => unwrap(models.read?.(body, sampleCall(), page) ?? never());
  expect(read(FULL).next).toBe('/models/search?per_page=100&page=2');
  expect(read(FULL, '/models/search?per_page=100&page=2').next).toBe('/models/search?per_page=100&page=3');
  expect(read({ result: [{ name: 'bare' }, 'odd'] })).toEqual({
    data: [{ id: 'bare', object: 'model', created: 0, owned_by: 'openai' }],
  });
  expect(models.read?.({ result: {} }, sampleCall(), undefined).ok).toBe(false);
});

function never(): never {
  throw new Error('the list is read');
}
