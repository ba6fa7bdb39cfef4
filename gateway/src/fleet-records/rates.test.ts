import { expect, test } from 'vitest';
import { createRates } from './rates.ts';

const NOW = 1_790_000_000_000;
const MIB = 1024 * 1024;
const BUSY = expect.objectContaining({ code: 'SIDECAR_BUSY' });

test('a pod sends 4 MiB in a second, and others are not in its way', () => {
  const rates = createRates();
  rates.admit('a', 'team-a', { bytes: 2 * MIB, nowMs: NOW });
  expect(() => rates.admit('a', 'team-a', { bytes: 2 * MIB, nowMs: NOW + 999 })).toThrow(BUSY);
  expect(() => rates.admit('b', 'team-a', { bytes: 2 * MIB, nowMs: NOW })).not.toThrow();
  expect(() => rates.admit('a', 'team-a', { bytes: 2 * MIB, nowMs: NOW + 1_000 })).not.toThrow();
});

test('a call costs 32 KiB beside its bytes', () => {
  const rates = createRates();
  for (let i = 0; i < 128; i += 1) rates.admit('a', 'team-a', { bytes: 0, nowMs: NOW });
  expect(() => rates.admit('a', 'team-a', { bytes: 0, nowMs: NOW })).toThrow(BUSY);
});

test('the pods of a workspace send 16 MiB together, and those of all workspaces 32 MiB; what is refused costs nothing', () => {
  const rates = createRates();
  const send = (pod: number, workspace: string): void =>
    rates.admit(`pod-${pod}`, workspace, { bytes: 2 * MIB - 32 * 1024, nowMs: NOW });
  for (let i = 0; i < 8; i += 1) send(i, 'team-a');
  for (let i = 8; i < 40; i += 1) expect(() => send(i, 'team-a')).toThrow(BUSY);
  for (let i = 40; i < 48; i += 1) send(i, 'team-b');
  expect(() => send(48, 'team-c')).toThrow(BUSY);
});
