/** A translated stream passed over an event it could not parse: the client took an answer with a hole for a whole one. */
import { expect, test } from 'vitest';
import type { StreamDecoder } from '../../gateway/src/wire/contract.ts';
import { createFrameReader } from '../../gateway/src/wire/framing/index.ts';
import { createDecodeTransform, createEncoder } from '../../gateway/src/wire/transform/index.ts';

const SILENT: StreamDecoder = { push: () => [], end: () => [] };
const read = (text: string) =>
  createDecodeTransform({
    reader: createFrameReader('sse'),
    decoder: SILENT,
    encoder: createEncoder('chat', { provider: 'p', includeUsage: false }),
  }).push(Buffer.from(text));

test('an event whose JSON is cut breaks the stream', () => {
  expect(() => read('data: {"delta":"a\n\n')).toThrow(expect.objectContaining({ code: 'UPSTREAM_STREAM_BROKEN' }));
});

test.for(['data: ping\n\n', 'data: {"type":"ping"}\n\n', 'data: [DONE]\n\n'])('%j is passed over', (text) => {
  expect(read(text)).toBeUndefined();
});
