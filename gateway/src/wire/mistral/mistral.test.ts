import { describe, expect, test } from 'vitest';
import type { WireContext } from '../contract.ts';
import { mistralDialect, toMistralToolChoice, withMistralIds } from './mistral.ts';

const ctx = (strict: boolean): WireContext => ({
  provider: 'p',
  model: 'm',
  strict,
  params: {},
  now: () => 0,
  newId: (prefix) => prefix,
});

describe('Mistral tool call ids', () => {
  test('are made from foreign ids, the same in call and result', () => {
    const call = withMistralIds({ role: 'assistant', tool_calls: [{ id: 'call_abc', type: 'function' }, 'junk'] });
    const result = withMistralIds({ role: 'tool', tool_call_id: 'call_abc' });
    expect(result['tool_call_id']).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(call).toEqual({
      role: 'assistant',
      tool_calls: [{ id: result['tool_call_id'], type: 'function' }, 'junk'],
    });
  });

  test.for([
    { message: { role: 'assistant', tool_calls: [{ id: 'AbC123456' }] } },
    { message: { role: 'tool', tool_call_id: 'AbC123456' } },
    { message: { role: 'user', content: 'x' } },
    { message: { role: 'user', tool_calls: 'junk', tool_call_id: 7 } },
  ])('leave alone $message', ({ message }) => {
    expect(withMistralIds(message)).toBe(message);
  });
});

describe('Mistral messages', () => {
  const content = [
    { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }, 7] },
    { type: 'text', text: 'a' },
    'b',
    null,
  ];

  test('give their text to everyone, their thinking to clients that are not strict', () => {
    expect(mistralDialect.message?.({ role: 'assistant', content }, ctx(true))).toEqual({
      role: 'assistant',
      content: 'ab',
    });
    expect(mistralDialect.message?.({ role: 'assistant', content }, ctx(false))).toEqual({
      role: 'assistant',
      content: 'ab',
      reasoning_content: 'hm',
    });
  });

  test('stay as they are with plain text', () => {
    const message = { content: 'x' };
    expect(mistralDialect.message?.(message, ctx(false))).toBe(message);
  });

  test.for([
    ['required', 'any'],
    ['auto', 'auto'],
    [undefined, undefined],
  ])('choose tools: %s is %s', ([choice, want]) => {
    expect(toMistralToolChoice(choice)).toBe(want);
  });
});
