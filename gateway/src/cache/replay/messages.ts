/** Anthropic messages as events. */

import { isObject } from '@gatehouse/crds';
import { scalarText } from '../../lib/scalar-text.ts';
import type { JsonObject } from '../../wire/contract.ts';
import { slicesOf, toEvent } from './events.ts';

export function replayMessages(answer: JsonObject): string[] {
  const { content, hook_results: _hooks, ...message } = answer;
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  const usage = isObject(message['usage']) ? message['usage'] : {};
  const { output_tokens } = usage;
  const ends = Object.entries(message).filter(([key]) => key === 'stop_reason' || key === 'stop_sequence');
  const start = {
    ...message,
    content: [],
    ...Object.fromEntries(ends.map(([key]) => [key, null])),
    usage: { ...usage, ...(output_tokens === undefined ? {} : { output_tokens: 0 }) },
  };
  const events = [
    { type: 'message_start', message: start },
    ...blocks.flatMap(blockEvents),
    {
      type: 'message_delta',
      delta: Object.fromEntries(ends),
      usage: output_tokens === undefined ? {} : { output_tokens },
    },
    { type: 'message_stop' },
  ];
  return events.map((event) => toEvent(event, event.type));
}

/** Members of a block that arrive as deltas: how the block starts with them, and the deltas of a value. */
interface Growth {
  readonly start: unknown;
  deltas(value: unknown): readonly JsonObject[];
}

const text = (type: string, member: string): Growth => ({
  start: '',
  deltas: (value) => slicesOf(scalarText(value)).map((slice) => ({ type, [member]: slice })),
});

const GROWTHS: ReadonlyMap<string, Growth> = new Map<string, Growth>([
  ['text', text('text_delta', 'text')],
  ['thinking', text('thinking_delta', 'thinking')],
  [
    'signature',
    { start: '', deltas: (signature) => (signature === '' ? [] : [{ type: 'signature_delta', signature }]) },
  ],
  ['input', { start: {}, deltas: (input) => [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }] }],
  [
    'citations',
    {
      start: [],
      deltas: (list) => (Array.isArray(list) ? list.map((citation) => ({ type: 'citations_delta', citation })) : []),
    },
  ],
]);

/** Block types that stream; blocks of other types, such as search results, are complete in their start event. */
const STREAMED: ReadonlySet<unknown> = new Set(['text', 'thinking', 'tool_use', 'server_tool_use', 'mcp_tool_use']);

function blockEvents(block: JsonObject, index: number) {
  const growing = Object.entries(block).flatMap(([key, value]) => {
    const growth = STREAMED.has(block['type']) && value !== null ? GROWTHS.get(key) : undefined;
    return growth === undefined ? [] : [{ key, value, growth }];
  });
  const content_block = { ...block, ...Object.fromEntries(growing.map(({ key, growth }) => [key, growth.start])) };
  const deltas = growing.flatMap(({ value, growth }) => growth.deltas(value));
  return [
    { type: 'content_block_start', index, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}
