import { expect, test } from 'vitest';
import { formatOf, readTexts, type TextProtocol } from './index.ts';

const ODD = { toString: 0 };

test.for<{ protocol: TextProtocol; event: object }>([
  { protocol: 'chat', event: { choices: [{ index: ODD, delta: { content: 'a' } }] } },
  { protocol: 'completion', event: { choices: [{ index: ODD, text: 'a' }] } },
  { protocol: 'messages', event: { type: 'content_block_delta', index: ODD, delta: { text: 'a' } } },
  {
    protocol: 'responses',
    event: { type: 'response.output_text.delta', output_index: ODD, content_index: [ODD], delta: 'a' },
  },
  { protocol: 'responses', event: { type: 'x', output_index: ODD, item: { content: [{ text: 'a' }] } } },
])('texts of $protocol are read whatever their places are: $event', ({ protocol, event }) => {
  const { slots } = readTexts(formatOf(protocol), { raw: Buffer.of(), name: undefined, data: JSON.stringify(event) });
  expect(slots).toHaveLength(1);
});
