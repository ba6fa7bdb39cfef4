import { expect, test } from 'vitest';
import type { Verdict } from '../translate/index.ts';
import { createGuardrailUsers } from './guardrail-users.ts';

const SAFE = 'Guardrail/team-a/safe';
const using = (name: string, ...uses: readonly string[]): Verdict =>
  ({ key: `GatewayConfig/team-a/${name}`, uses }) as unknown as Verdict; // nothing else is read

function fixture() {
  let nowMs = 0;
  const users = createGuardrailUsers({ monotonicMs: () => nowMs });
  const wait = (ms: number): void => {
    nowMs += ms;
  };
  return { users, wait };
}

test('the users of a guardrail are counted as they come, change and go', () => {
  const { users } = fixture();
  expect(users.update([using('b', SAFE, 'Guardrail/team-a/other'), using('a', SAFE), using('c')], [])).toContain(SAFE);
  expect(users.show(SAFE)).toEqual({ total: 2, resources: ['GatewayConfig/team-a/a', 'GatewayConfig/team-a/b'] });
  users.update([using('b')], []);
  expect(users.show(SAFE)).toEqual({ total: 1, resources: ['GatewayConfig/team-a/a'] });
  users.update([], ['GatewayConfig/team-a/a']);
  expect(users.show(SAFE)).toEqual({ total: 0, resources: [] });
});

test('a status names the first twenty users', () => {
  const { users } = fixture();
  users.update(
    Array.from({ length: 30 }, (_, i) => using(String(i).padStart(2, '0'), SAFE)),
    [],
  );
  const { total, resources } = users.show(SAFE);
  expect([total, resources.length, resources[19]]).toEqual([30, 20, 'GatewayConfig/team-a/19']);
});

test('many changes are one write after a while', () => {
  const { users, wait } = fixture();
  expect(users.update([using('first', SAFE)], [])).toEqual([SAFE]);
  users.show(SAFE);
  for (let i = 0; i < 100; i += 1) {
    wait(50);
    expect(users.update([using(`c${i}`, SAFE)], [])).toEqual([]);
    expect(users.takeDue()).toEqual([]);
  }
  wait(5_000);
  expect([users.takeDue(), users.takeDue()]).toEqual([[SAFE], []]);
  expect(users.show(SAFE).total).toBe(101);
});

test('what has not changed is not written again', () => {
  const { users, wait } = fixture();
  users.update([using('a', SAFE)], []);
  users.show(SAFE);
  wait(60_000);
  expect(users.update([using('a', SAFE)], [])).toEqual([]);
});
