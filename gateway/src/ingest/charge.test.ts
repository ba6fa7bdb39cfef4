import { expect, test } from 'vitest';
import type { ResolvedRequest } from '../pipeline/index.ts';
import { createCharges } from './charge.ts';

const COST = { nanoDollars: 1, unpriced: false, estimated: false };
const budget = { id: 'b', name: 'cost', type: 'cost', limit: 1 };

test('a workspace that sends many records does not have those of others charged twice', () => {
  const charged: string[] = [];
  const reserve = ([{ budget: of }]: readonly [{ readonly budget: { readonly id: string } }]) => {
    charged.push(of.id);
    return { allowed: true, settle: () => undefined };
  };
  const charge = createCharges({ budgets: { reserve } as never, now: () => 0 }); // what is called of them
  const send = (workspace: string, ids: readonly string[]): void => {
    const limits = { budgets: [{ ...budget, id: workspace }] };
    const request = {
      exchange: { request: { header: () => 'true' } },
      caller: { key: { limits: { budgets: [] } }, workspace: { name: workspace, limits } },
    } as unknown as ResolvedRequest; // what is read of it
    charge(
      request,
      ids.map((id) => ({ id, record: { attempts: [{ usage: undefined, cost: COST }] } })),
    );
  };
  const many = Array.from({ length: 110_000 }, (_, i) => `many-${i}`);
  send('small', ['one', 'two']);
  send('large', many);
  send('small', ['one', 'two']);
  expect(charged).toEqual(['small', 'large']);
});
