import { unwrap } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { toMessagesAnswer } from './index.ts';
import { ctx } from './testing.ts';

describe('an answer in the messages format', () => {
  const answer = (content: object[], stopReason = 'end_turn') => ({
    output: { message: { role: 'assistant', content } },
    stopReason,
    usage: { inputTokens: 5, outputTokens: 2, cacheReadInputTokens: 3, cacheWriteInputTokens: 1 },
  });

  test('has every block under its name', () => {
    const content = [
      { reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } },
      { reasoningContent: { redactedContent: 'xx' } },
      { text: 'a' },
      { citationsContent: { content: [{ text: 'b' }, { text: 'c' }], citations: [] } },
      { toolUse: { toolUseId: 't1', name: 'f', input: { a: 1 } } },
    ];
    expect(unwrap(toMessagesAnswer(answer(content, 'tool_use'), ctx))).toEqual({
      id: `msg_${'0'.repeat(24)}`,
      type: 'message',
      role: 'assistant',
      model: ctx.model,
      content: [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'redacted_thinking', data: 'xx' },
        { type: 'text', text: 'a' },
        { type: 'text', text: 'bc' },
        { type: 'tool_use', id: 't1', name: 'f', input: { a: 1 } },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 5, output_tokens: 2, cache_read_input_tokens: 3, cache_creation_input_tokens: 1 },
    });
  });

  test.for([
    ['end_turn', 'end_turn'],
    ['tool_use', 'tool_use'],
    ['max_tokens', 'max_tokens'],
    ['stop_sequence', 'stop_sequence'],
    ['guardrail_intervened', 'end_turn'],
    ['content_filtered', 'end_turn'],
    ['new', 'end_turn'],
  ])('ends with %s as %s', ([reason, want]) => {
    expect(unwrap(toMessagesAnswer(answer([], reason), ctx))['stop_reason']).toBe(want);
  });

  test('cannot be read from anything else', () => {
    expect(toMessagesAnswer({ type: 'other' }, ctx).ok).toBe(false);
  });
});
