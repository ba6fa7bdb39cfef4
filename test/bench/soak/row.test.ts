import { expect, test } from 'vitest';
import { soakRow } from './row.ts';

const latency = { count: 1, p50: 500, p99: 2_000, max: 3_000 };
/** Half an hour of samples that grow by so many MB an hour, with or without noise of 2 MB. */
const samples = (mbPerHour: number, noise = 0) =>
  Array.from({ length: 1_800 }, (_, second) => ({
    x: second * 1_000,
    y: 150 + (mbPerHour * second) / 3_600 + (Math.floor(second / 60) % 2 === 0 ? noise : -noise),
  }));
const verdictsOf = (failed: number, memory: ReturnType<typeof samples>, unsent = 0) =>
  soakRow({ what: 'soak', ratePerSecond: 100, result: { sent: 1_000, failed, unsent, latency }, memory: [memory] })
    .verdicts;

test('no failed request and steady memory meet the goals', () => {
  expect(verdictsOf(0, samples(0, 2))).toMatchObject([
    { met: true, measured: '0 of 1,000 failed' },
    { met: true },
    { met: true },
  ]);
});

test('one failed request is too many', () => {
  expect(verdictsOf(1, samples(0))).toMatchObject([{ met: false }, { met: true }, { met: true }]);
});

test('requests that could not be sent in time have not failed, but the load was not what it should be', () => {
  expect(verdictsOf(0, samples(0), 5)).toMatchObject([{ met: true }, { met: false }, { met: true }]);
});

test.for([
  { rule: 'a leak is seen', mbPerHour: 20, noise: 0, met: false },
  { rule: 'a leak is seen through noise', mbPerHour: 20, noise: 2, met: false },
  { rule: 'memory that is given back is none', mbPerHour: -20, noise: 0, met: true },
])('$rule', ({ mbPerHour, noise, met }) => {
  expect(verdictsOf(0, samples(mbPerHour, noise))?.[2]).toMatchObject({ met });
});
