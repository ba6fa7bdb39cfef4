import { expect, test } from 'vitest';
import { createPods } from './pods.ts';

const NOW = 1_790_000_000_000;

const BUSY = expect.objectContaining({ code: 'SIDECAR_BUSY' });

test('a pod has 1,000 small calls in a second, and others are not in its way', () => {
  const pods = createPods();
  for (let i = 0; i < 1_000; i += 1) pods.admit('a', 'team-a', 100, NOW);
  expect(() => pods.admit('a', 'team-a', 100, NOW + 999)).toThrow(BUSY);
  expect(() => pods.admit('b', 'team-a', 100, NOW)).not.toThrow();
  expect(() => pods.admit('a', 'team-a', 100, NOW + 1_000)).not.toThrow();
});

test.for([{ bytes: 256 * 1024 }, { bytes: undefined }])('a call of $bytes bytes counts as 65', ({ bytes }) => {
  const pods = createPods();
  for (let i = 0; i < 15; i += 1) pods.admit('a', 'team-a', bytes, NOW);
  expect(() => pods.admit('a', 'team-a', bytes, NOW)).toThrow(BUSY);
});

test('the pods of a workspace have 10,000 small calls in a second together', () => {
  const pods = createPods();
  for (let i = 0; i < 10_000; i += 1) pods.admit(`pod-${i % 20}`, 'team-a', 100, NOW);
  expect(() => pods.admit('further', 'team-a', 100, NOW)).toThrow(BUSY);
  expect(() => pods.admit('other', 'team-b', 100, NOW)).not.toThrow();
});

test('two pods never hold a part of a budget under the same name', () => {
  const pods = createPods();
  expect(pods.holder('a', 'one')).toBe(pods.holder('a', 'one'));
  expect(pods.holder('a', 'one')).not.toBe(pods.holder('b', 'one'));
});

test('a pod has 32 names, and keeps those', () => {
  const pods = createPods();
  for (let i = 0; i < 32; i += 1) pods.holder('a', `name-${i}`);
  expect(pods.holder('a', 'further')).toBeUndefined();
  expect(pods.holder('a', 'name-0')).toBeDefined();
  expect(pods.holder('b', 'further')).toBeDefined();
});

test('an addition is new once for each pod, and as long as it is one of the last', () => {
  const pods = createPods();
  const isNew = (pod: string, id: string): boolean => pods.isNew(pod, id);
  expect([isNew('a', 'first'), isNew('a', 'first'), isNew('b', 'first')]).toEqual([true, false, true]);
  for (let i = 0; i < 399; i += 1) isNew('a', `further-${i}`);
  expect(isNew('a', 'first')).toBe(false);
  isNew('a', 'one more');
  expect([isNew('a', 'first'), isNew('b', 'first')]).toEqual([true, false]);
});
