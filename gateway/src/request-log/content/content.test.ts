import { expect, test } from 'vitest';
import { createByteBudget } from '../../lib/byte-budget.ts';
import { compileScrubber, type Scrubber } from '../../lib/scrub.ts';
import { Capture, type RequestRecord } from '../../record/index.ts';
import { sampleAttempt, sampleRecord } from '../../record/testing.ts';
import { logRecordsOf } from '../rows/request-log-sink.ts';

const KEPT = { maxBytes: 1_000_000, memory: createByteBudget(10_000_000, () => undefined).open() };

function recordOf(asked: string, scrubber: () => Scrubber, request: Partial<RequestRecord['request']> = {}) {
  const captured = new Capture({ kept: 'all', ...KEPT });
  captured.request = captured.keep(Buffer.from(asked));
  const own = captured.openAttempt();
  own.scrubber = scrubber;
  return { ...sampleRecord({ attempts: [sampleAttempt({ captured: own })], request }), captured };
}

const contentsOf = (record: RequestRecord) =>
  logRecordsOf(record, { headersToMask: new Set(), currency: 'USD' } as never).map(({ content }) => content);

const none = () => compileScrubber([]);
const broken = (): never => {
  throw new Error('broken');
};

test('a document has the body without credentials', () => {
  const headers = () => [['x-token', 'a-token-of-16-or-more']] as const;
  expect(contentsOf(recordOf('{"a":"a-token-of-16-or-more"}', none, { headers }))).toEqual([
    expect.stringContaining('{"a":"[redacted]"}'),
  ]);
});

test.for<[what: string, scrubber: () => Scrubber]>([
  ['that cannot be made', broken],
  ['that fails', () => ({ ...none(), mayFind: broken })],
])('with a scrubber %s there is a row without a document', ([, scrubber]) => {
  expect(contentsOf(recordOf('{}', scrubber))).toEqual([undefined]);
});
