import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { partsOfDataset, toDatasetRow } from './dataset.ts';
import { fromEmbeddedRecord, fromEmbedJob, shareOf, usageOfJob } from './embed-job.ts';

test('shares of a job are even, and their sum is what it has used', () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 1, max: 200 }), fc.nat({ max: 50 }), (tokens, rows, more) => {
      const shares = Array.from({ length: rows + more }, (_, row) => shareOf({ tokens, rows }, row));
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(tokens);
      for (const share of shares.slice(0, rows)) expect(Math.abs(share - tokens / rows)).toBeLessThanOrEqual(1);
      for (const share of shares.slice(rows)) expect(share).toBe(0);
    }),
  );
});

test('shares are exact where the product is no safe integer', () => {
  const usage = { tokens: Number.MAX_SAFE_INTEGER, rows: 1_000 };
  const shares = Array.from({ length: 1_000 }, (_, row) => shareOf(usage, row));
  expect(shares.every((share) => Math.abs(share - usage.tokens / usage.rows) <= 1)).toBe(true);
  expect(shares.reduce((sum, share) => sum + share, 0)).toBe(usage.tokens);
});

const billed = (tokens: unknown) => ({ meta: { billed_units: { input_tokens: tokens } } });

test.for([
  { job: {}, rows: 2, want: undefined },
  ...[1e308, Infinity, NaN, 0.5, 2 ** 53].map((tokens) => ({ job: billed(tokens), rows: 2, want: undefined })),
  ...[2.5, Infinity, NaN, 2 ** 53, -1].map((rows) => ({ job: billed(7), rows, want: { tokens: 7, rows: 1 } })),
  { job: billed(0), rows: 2, want: { tokens: 0, rows: 2 } },
  { job: { meta: { billed_units: { input_tokens: 7 } } }, rows: 2, want: { tokens: 7, rows: 2 } },
  { job: { meta: { billed_units: { input_tokens: 7 } } }, rows: undefined, want: { tokens: 7, rows: 1 } },
  { job: { meta: { billed_units: { input_tokens: 7 } } }, rows: 0, want: { tokens: 7, rows: 1 } },
  { job: { meta: { billed_units: { input_tokens: -7 } } }, rows: 2, want: undefined },
  { job: { meta: { billed_units: { images: 7 } } }, rows: 2, want: undefined },
])('the usage of $job over $rows rows', ({ job, rows, want }) => {
  expect(usageOfJob(job, rows)).toEqual(want);
});

describe('a record of the output', () => {
  test.for([
    { record: { custom_id: 'a', id: 'b', embeddings: { float: [1] } }, want: { customId: 'a', vector: [1] } },
    { record: { custom_id: null, id: 'b', embeddings: { float: [] } }, want: { customId: 'b', vector: [] } },
    { record: { custom_id: 'a', embeddings: { float: null, int8: [1] } }, want: 'it has no embedding of type float' },
    ...[[1, null], ['1'], [Infinity], [NaN], [[1]], [true], [{}]].map((float) => ({
      record: { custom_id: 'a', embeddings: { float } },
      want: 'its embedding has something else than finite numbers',
    })),
    {
      record: { custom_id: 'a', embeddings: { float: Array.from({ length: 65_537 }, () => 0) } },
      want: 'its embedding has more than 65536 numbers',
    },
    { record: { custom_id: 'a', embeddings: [1] }, want: 'it has no embedding of type float' },
    { record: { custom_id: null, embeddings: { float: [1] } }, want: 'it has no custom_id' },
    { record: [], want: 'it is no record' },
  ])('$record', ({ record, want }) => {
    const read = fromEmbeddedRecord(record);
    expect(read.ok ? read.value : read.error).toEqual(want);
  });
});

test('a job without an id is none', () => {
  for (const job of [null, [], {}, { job_id: '' }, { job_id: 7 }]) expect(fromEmbedJob(job).ok).toBe(false);
});

test('parts of a dataset are in the order of their index, else in that of the answer', () => {
  const urls = (parts: readonly object[]) =>
    partsOfDataset({ dataset: { dataset_parts: parts } }).map(({ url }) => url);
  expect(
    urls([
      { index: 2, url: 'c' },
      { index: 0, url: 'a' },
      { index: 1, url: 'b' },
    ]),
  ).toEqual(['a', 'b', 'c']);
  expect(urls([{ url: 'a' }, { url: 'b' }, {}])).toEqual(['a', 'b', '']);
  expect(partsOfDataset({})).toEqual([]);
});

test.for([
  { input: 'a', want: 'a' },
  { input: ['a'], want: 'a' },
  { input: ['a', 'b'], want: undefined },
  { input: [], want: undefined },
  { input: [1, 2], want: undefined },
  { input: [['a']], want: undefined },
  { input: { text: 'a' }, want: undefined },
  { input: undefined, want: undefined },
  { input: 'a', more: { dimensions: null, encoding_format: null, user: 'u' }, want: 'a' },
  { input: 'a', more: { encoding_format: 'float' }, want: 'a' },
  { input: 'a', more: { encoding_format: 'base64' }, want: undefined },
  { input: 'a', more: { dimensions: 0 }, want: undefined },
])('the text of a row whose input is $input, with $more', ({ input, more, want }) => {
  const row = toDatasetRow('c', { model: 'm', input, ...more }, 'u');
  expect(row.ok ? row.value : undefined).toEqual(
    want === undefined ? undefined : { custom_id: 'c', text: want, id: 'u' },
  );
});
