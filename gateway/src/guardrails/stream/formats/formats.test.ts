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

const textsOf = (choice: object) => {
  const event = { choices: [choice] };
  return readTexts(formatOf('chat'), { raw: Buffer.of(), name: undefined, data: JSON.stringify(event) });
};
const code = (index: number, text: string) => ({ index, delta: { executable_code: { code: text } } });
const result = (index: number, text: string) => ({ index, delta: { code_execution_result: { output: text } } });
const plan = (text: string) => ({ index: 0, delta: { tool_plan: true, thinking: text } });

test('code that a provider has run, and what came of it, are texts that end with their event', () => {
  const { slots, ends, data } = textsOf({
    index: 0,
    delta: { content: 'a', content_blocks: [{ index: 0, delta: { text: 'a' } }, code(1, 'b'), result(2, 'c')] },
  });
  expect(slots.map(({ use, text }) => [use, text])).toEqual(['a', 'b', 'c'].map((text) => ['checked', text]));
  const [content, ...others] = slots.map(({ part }) => part);
  expect(new Set([content, ...others]).size).toBe(3);
  expect(ends).toEqual(expect.arrayContaining(others));
  expect(ends).not.toContain(content);
  for (const slot of slots) slot.write(`<${slot.text}>`);
  expect(data).toEqual({
    choices: [
      {
        index: 0,
        delta: {
          content: '<a>',
          content_blocks: [{ index: 0, delta: { text: '<a>' } }, code(1, '<b>'), result(2, '<c>')],
        },
      },
    ],
  });
});

test('a plan is a text that other content ends; thoughts are none', () => {
  const planned = textsOf({ delta: { content_blocks: [plan('a'), { index: 1, delta: { thinking: 'b' } }] } });
  expect(planned.slots.map(({ use, text }) => [use, text])).toEqual([['checked', 'a']]);
  const [part] = planned.slots.map((slot) => slot.part);
  expect(planned.ends).not.toContain(part);
  const thought = { content: '', content_blocks: [{ index: 1, delta: { thinking: 'b' } }] };
  expect(textsOf({ delta: thought }).ends).toEqual([]);
  for (const next of [{ delta: { content: 'c' } }, { delta: {}, finish_reason: 'stop' }])
    expect(textsOf(next).ends).toContain(part);
});

test('code of other choices is shown and not checked', () => {
  const { slots } = textsOf({ index: 1, delta: { content_blocks: [code(0, 'a')] } });
  expect(slots.map(({ use }) => use)).toEqual(['shown']);
});
