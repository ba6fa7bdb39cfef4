import { expect, test } from 'vitest';
import { sampleAttempt, sampleRecord } from '../../record/testing.ts';
import { attemptTimes, finalTimes } from './times.ts';

const partsOf = ({
  request_parsing_ms,
  pre_processing_ms,
  cache_ms,
  response_parsing_ms,
}: ReturnType<typeof attemptTimes>) => [request_parsing_ms, pre_processing_ms, cache_ms, response_parsing_ms];

const first = sampleAttempt({ startedAtMs: 110, parts: { cacheMs: 1, mappingMs: 2 } });
const called = sampleAttempt({ operation: 'createEmbedding', startedAtMs: 112 });
const last = sampleAttempt({ startedAtMs: 150, parts: { cacheMs: 3, mappingMs: 4 } });

test.for([
  { rule: 'of the only attempt', attempts: [first], own: first, want: [4, 6, 1, 2] },
  { rule: 'before the first attempt, and of the last', attempts: [first, last], own: last, want: [4, 6, 3, 4] },
  { rule: 'before the target that a call was made for', attempts: [called, first], own: first, want: [4, 6, 1, 2] },
  { rule: 'of a request whose result no attempt gave', attempts: [first], own: undefined, want: [4, 6, null, null] },
  { rule: 'of a request without attempts', attempts: [], own: undefined, want: [4, null, null, null] },
])('parts $rule', ({ attempts, own, want }) => {
  const record = sampleRecord({ attempts, request: { startedAtMs: 100, parsingMs: 4 } });
  expect(partsOf(finalTimes(record, own))).toEqual(want);
});

test('parts that nobody has measured are not known', () => {
  const attempt = sampleAttempt();
  expect(partsOf(finalTimes(sampleRecord({ attempts: [attempt] }), attempt))).toEqual([null, null, null, null]);
});

test('parts of another attempt are its own', () => {
  expect(partsOf(attemptTimes(first))).toEqual([null, null, 1, 2]);
});

test('clocks that disagree make no time below 0', () => {
  const record = sampleRecord({ attempts: [first], request: { startedAtMs: 108, parsingMs: 4 } });
  expect(partsOf(finalTimes(record, first))).toEqual([4, 0, 1, 2]);
});
