import { expect, test } from 'vitest';
import { outputCall } from './output-call.ts';
import { sampleCall } from './testing.ts';

const BATCH = { batch: 'b1', endedAt: '2026-01-02T03:04:05.678Z' };
const later = sampleCall({ now: () => Date.now(), newId: () => 'random' });
const idsOf = (facts: typeof BATCH) => {
  const call = outputCall(later, facts);
  return [call.newId('chatcmpl-', 29), call.newId('call_', 24), call.newId('chatcmpl-', 29)];
};

test('answers have the time at which the batch ended', () => {
  expect(outputCall(later, BATCH).now()).toBe(Date.UTC(2026, 0, 2, 3, 4, 5, 678));
});

test.for([undefined, '', 'soon'])('answers of a batch that ended at %j have the time of the call', (endedAt) => {
  const call = sampleCall({ now: () => 7 });
  expect(outputCall(call, { batch: 'b1', endedAt }).now()).toBe(7);
});

test('ids are the same at each reading, and differ within an output and between batches', () => {
  const ids = idsOf(BATCH);
  expect(ids).toEqual([
    expect.stringMatching(/^chatcmpl-[0-9A-Za-z]{29}$/),
    expect.stringMatching(/^call_[0-9A-Za-z]{24}$/),
    expect.stringMatching(/^chatcmpl-[0-9A-Za-z]{29}$/),
  ]);
  expect(idsOf(BATCH)).toEqual(ids);
  expect(new Set([...ids, ...idsOf({ ...BATCH, batch: 'b2' })]).size).toBe(6);
});
