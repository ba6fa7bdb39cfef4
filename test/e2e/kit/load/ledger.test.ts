import { describe, expect, test } from 'vitest';
import { Ledger, quantile } from './ledger.ts';

describe('a ledger', () => {
  test('counts by kind and by what became of it', () => {
    const ledger = new Ledger();
    for (const kind of ['request', 'request', 'stream'] as const) ledger.started(kind);
    ledger.finished('request', 5);
    ledger.failed({ kind: 'request', target: 'a', how: 'lost', reason: 'ECONNRESET', sentAt: 1, failedAt: 2 });
    ledger.streamOpened();
    expect(ledger.report()).toMatchObject({
      requests: { started: 2, ok: 1, refused: 0, lost: 1, cut: 0 },
      streams: { started: 1, ok: 0, refused: 0, lost: 0, cut: 0 },
      openStreams: 1,
      latency: { p50: 5, p99: 5, max: 5 },
      mishaps: [{ target: 'a', reason: 'ECONNRESET' }],
    });
  });

  test('keeps the first mishaps and counts all', () => {
    const ledger = new Ledger();
    const mishap = { kind: 'stream', target: 'a', how: 'cut', reason: '', sentAt: 0, failedAt: 0 } as const;
    for (let i = 0; i < 300; i += 1) ledger.failed({ ...mishap, sentAt: i });
    const { streams, mishaps } = ledger.report();
    expect(streams.cut).toBe(300);
    expect(mishaps.map(({ sentAt }) => sentAt)).toEqual(Array.from({ length: 200 }, (_, i) => i));
  });
});

test.for([
  { rule: 'nothing', values: [], share: 0.5, want: 0 },
  { rule: 'one value', values: [7], share: 0.99, want: 7 },
  { rule: 'the middle of an odd number', values: [1, 2, 3], share: 0.5, want: 2 },
  {
    rule: 'the last of a hundred but one',
    values: Array.from({ length: 100 }, (_, i) => i + 1),
    share: 0.99,
    want: 99,
  },
])('the quantile of $rule', ({ values, share, want }) => {
  expect(quantile(values, share)).toBe(want);
});
