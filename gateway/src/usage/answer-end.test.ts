import { describe, expect, test } from 'vitest';
import { type AnswerEnd, findEnd, toFinishReason } from './index.ts';

const endOf = (text: string): AnswerEnd => findEnd({ head: text, tail: text });

describe('the end of an answer', () => {
  test.for<{ rule: string; text: string; id: string | undefined; reasons: readonly string[] }>([
    {
      rule: 'of a chat completion',
      text: '{"id":"chatcmpl-1","choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}],"usage":{}}',
      id: 'chatcmpl-1',
      reasons: ['stop'],
    },
    {
      rule: 'of several choices',
      text: '{"id": "c", "choices": [{"finish_reason": "tool_calls"}, {"finish_reason": "length"}]}',
      id: 'c',
      reasons: ['tool_call', 'length'],
    },
    {
      rule: 'of a stream of chunks',
      text: 'data: {"id":"c","choices":[{"delta":{},"finish_reason":null}]}\n\ndata: {"id":"c","choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: {"usage":{"a":1}}\n\ndata: [DONE]\n\n',
      id: 'c',
      reasons: ['stop'],
    },
    {
      rule: 'of a message',
      text: '{"id":"msg_1","type":"message","content":[],"stop_reason":"tool_use","stop_sequence":null}',
      id: 'msg_1',
      reasons: ['tool_call'],
    },
    {
      rule: 'of a stream of a message',
      text: 'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_2","content":[],"stop_reason":null}}\n\nevent: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}\n\n',
      id: 'msg_2',
      reasons: ['stop'],
    },
    {
      rule: 'without the stop sequence beside the reason of a choice',
      text: '{"id":"c","choices":[{"finish_reason":"stop","stop_reason":"END"}]}',
      id: 'c',
      reasons: ['stop'],
    },
    {
      rule: 'without what a model says in arguments',
      text: '{"type":"message","content":[{"id":"toolu_1","input":{"stop_reason":"said","finish_reason":"said"}}],"stop_reason":"tool_use"}',
      id: undefined,
      reasons: ['tool_call'],
    },
    {
      rule: 'without what a model says in a text',
      text: '{"choices":[{"text":"\\"id\\":\\"said\\",\\"finish_reason\\":\\"said\\" [","finish_reason":"stop"}],"id":"c"}',
      id: 'c',
      reasons: ['stop'],
    },
    { rule: 'that has none', text: '{"data":[{"id":"part"}]}', id: undefined, reasons: [] },
    { rule: 'with an id that is none', text: '{"id":"a b","choices":[]}', id: undefined, reasons: [] },
  ])('$rule', ({ text, id, reasons }) => {
    expect(endOf(text)).toEqual({ id, finishReasons: reasons });
  });

  test('names as many reasons as are kept', () => {
    const choices = Array.from({ length: 40 }, () => ({ finish_reason: 'stop' }));
    expect(endOf(JSON.stringify({ choices })).finishReasons).toHaveLength(16);
  });
});

test.for([
  ['end_turn', 'stop'],
  ['max_tokens', 'length'],
  ['function_call', 'tool_call'],
  ['pause_turn', 'pause_turn'],
] as const)('the reason %s is %s', ([given, want]) => {
  expect(toFinishReason(given)).toBe(want);
});
