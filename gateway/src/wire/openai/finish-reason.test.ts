import { expect, test } from 'vitest';
import type { FinishReason } from './chat.ts';
import { toFinishReason } from './finish-reason.ts';

test.for<[upstream: string, want: FinishReason]>([
  ['stop', 'stop'],
  ['eos', 'stop'],
  ['end_turn', 'stop'],
  ['STOP', 'stop'],
  ['COMPLETE', 'stop'],
  ['insufficient_system_resource', 'stop'],
  ['length', 'length'],
  ['model_length', 'length'],
  ['MAX_TOKENS', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['TOOL_CALL', 'tool_calls'],
  ['function_call', 'function_call'],
  ['SAFETY', 'content_filter'],
  ['refusal', 'content_filter'],
  ['guardrail_intervened', 'content_filter'],
  ['a word of tomorrow', 'stop'],
  ['constructor', 'stop'],
])('%s is %s', ([upstream, want]) => {
  expect(toFinishReason(upstream)).toBe(want);
});
