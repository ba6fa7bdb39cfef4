import { expect, test } from 'vitest';
import { byArea, byFunction, type CpuProfile, selfTimes } from './self-time.ts';

const frame = (id: number, functionName: string, url: string, lineNumber = 0) => ({
  id,
  callFrame: { functionName, url, lineNumber },
});

const PROFILE: CpuProfile = {
  nodes: [
    frame(1, '(idle)', ''),
    frame(2, '(garbage collector)', ''),
    frame(3, 'write', 'node:net', 9),
    frame(4, 'dispatch', 'file:///w/node_modules/undici/lib/client.js', 99),
    frame(5, '', 'file:///w/gateway/src/server/serve.ts', 4),
    frame(6, 'handle', 'file:///w/gateway/src/server/serve.ts', 40),
    frame(7, 'sign', 'file:///w/node_modules/@smithy/core/index.js'),
  ],
  samples: [1, 2, 3, 4, 4, 5, 6, 7],
  timeDeltas: [9_000, 1_000, 1_000, 2_000, 2_000, 1_000, 2_000, 1_000],
};

test('time is summed by function, idle time left out', () => {
  const [first, ...others] = selfTimes(PROFILE, byFunction);
  expect(first).toEqual({ name: 'dispatch undici/lib/client.js:100', selfMs: 4, percent: 40 });
  expect(others.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['(garbage collector)', 'write node:net:10', '(anonymous) gateway/src/server/serve.ts:5']),
  );
  expect(others).toHaveLength(5);
});

test('sums time by package, and by folder of this repository', () => {
  const shares = Object.fromEntries(selfTimes(PROFILE, byArea).map(({ name, selfMs }) => [name, selfMs]));
  expect(shares).toEqual({ undici: 4, 'gateway/src/server': 3, node: 1, '(garbage collector)': 1, '@smithy/core': 1 });
});
