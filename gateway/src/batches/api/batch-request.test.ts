import { expect, test } from 'vitest';
import { readBatchRequest } from './batch-request.ts';

const BODY = { input_file_id: 'file-1', endpoint: '/v1/chat/completions', completion_window: '24h', gw_options: {} };
const pairs = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`name-${i}`, 'x']));
const withOptions = (metadata: unknown) => readBatchRequest({ ...BODY, provider_options: { metadata } });

test('metadata for the provider leave room for a pair of the gateway', () => {
  expect(withOptions(pairs(15)).providerOptions).toEqual({ metadata: pairs(15) });
  expect(readBatchRequest({ ...BODY, metadata: pairs(16) }).metadata).toEqual(pairs(16));
});

test.for([pairs(16), 'text', ['text'], { name: 1 }, { name: 'x'.repeat(513) }])(
  'metadata for the provider that it would refuse are refused at once: %#',
  (metadata) => {
    expect(() => withOptions(metadata)).toThrow(/provider_options\.metadata must be an object of at most 15 texts/);
  },
);
