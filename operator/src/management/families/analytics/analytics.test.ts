/** Widths, spans and percentiles of graphs. */
import { latencyStep } from '@gatehouse/crds/logs';
import { expect, test } from 'vitest';
import { everySpan, widthOf } from './spans.ts';
import { cents, mergeTimes, percent, percentile, ratio } from './times.ts';

const HOUR = 3_600_000;

test.for([
  [HOUR, 'minute'],
  [HOUR + 1, 'hour'],
  [24 * HOUR, 'hour'],
  [24 * HOUR + 1, 'day'],
  [31 * 24 * HOUR, 'day'],
  [31 * 24 * HOUR + 1, 'week'],
] as const)('a time of %i ms has spans of a %s', ([length, width]) => {
  expect(widthOf({ from: 5, to: 5 + length + 1 })).toBe(width);
});

test('spans without anything are there between those with something', () => {
  const found = [{ time: 2 * HOUR }, { time: 4 * HOUR }, { time: 4 * HOUR }];
  const points = everySpan(found, 'hour', (time, sums) => [time / HOUR, sums.length]);
  expect(points).toEqual([
    [2, 1],
    [3, 0],
    [4, 2],
  ]);
  expect(everySpan([], 'hour', () => 1)).toEqual([]);
});

test('percentiles are told from steps of several sums', () => {
  const times = mergeTimes([
    { times: [[latencyStep(100), 50]] },
    { times: [[latencyStep(1_000), 9], [latencyStep(100), 40]] }, // biome-ignore format: pairs
    { times: [[latencyStep(10_000), 1]] },
  ]);
  expect([0.5, 0.9, 0.99, 1].map((share) => Math.round(Math.log10(percentile(times, share))))).toEqual([2, 2, 3, 4]);
  expect(percentile([], 0.5)).toBe(0);
});

test('of nothing there is no share', () => {
  expect([ratio(1, 0), percent(1, 0), percent(1, 3)]).toEqual([0, 0, 33.333]);
});

test('cents have the digits of nano-dollars', () => {
  expect([cents(130_800), cents(130_800 / 3), cents(1), cents(0.4), cents(3e7)]).toEqual([
    0.01308, 0.00436, 1e-7, 0, 3,
  ]);
});
