import { PerformanceObserver } from 'node:perf_hooks';
import { expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../../../test/kit/wait-for.ts';
import { collectAfterReads, collectorOfReads } from './read-memory.ts';

const KIB = 1024;

test.for([
  { pieces: 127, bytes: 64 * KIB, collections: 0 },
  { pieces: 128, bytes: 64 * KIB, collections: 1 },
  { pieces: 1_600, bytes: 64 * KIB, collections: 12 },
  { pieces: 3, bytes: 100 * KIB * KIB, collections: 3 },
  { pieces: 10_000, bytes: 16 * KIB - 1, collections: 0 },
])('$pieces pieces of $bytes bytes are $collections collections', ({ pieces, bytes, collections }) => {
  let collected = 0;
  const onRead = collectAfterReads(() => {
    collected += 1;
  });
  for (let i = 0; i < pieces; i += 1) onRead(bytes);
  expect(collected).toBe(collections);
});

test('young objects are collected in a process that was started without a collector to call', async () => {
  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    collections += list.getEntries().length;
  });
  observer.observe({ entryTypes: ['gc'] });
  onTestFinished(() => observer.disconnect());
  const onRead = collectorOfReads();
  for (let i = 0; i < 20; i += 1) onRead(8 * KIB * KIB);
  await waitFor(() => collections >= 20, { what: 'collections' });
});
