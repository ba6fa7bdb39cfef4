import { expect, test } from 'vitest';
import { parseResult } from './closed-loop.ts';

test('the line of the script is read', () => {
  const output = 'Running 2s test\nRESULT requests=3000 microseconds=2000000 p50=1500 p99=9000 failed=1\n';
  expect(parseResult(output)).toEqual({ requestsPerSecond: 1_500, p50Ms: 1.5, p99Ms: 9, requests: 3_000, failed: 1 });
});

test('an output without it is an error', () => {
  expect(() => parseResult('unable to connect')).toThrow();
});
