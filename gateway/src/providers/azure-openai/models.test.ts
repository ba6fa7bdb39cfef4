import { expect, test } from 'vitest';
import type { Call } from '../contract.ts';
import { readModels } from './models.ts';

const call = { provider: 'azure-openai' } as unknown as Call; // what is read of it

test('a model whose id is no text has an empty one', () => {
  const read = readModels({ data: [{ id: { toString: 0 } }, { id: 'gpt', created_at: 7 }] }, call, undefined);
  expect(read).toMatchObject({ ok: true, value: { data: [{ id: '' }, { id: 'gpt', created: 7 }] } });
});
