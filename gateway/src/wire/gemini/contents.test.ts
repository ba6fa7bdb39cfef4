import { describe, expect, test } from 'vitest';
import { bodyOf, model, text, user } from './testing.ts';

describe('Gemini turns', () => {
  test.for([
    {
      rule: 'all system and developer texts, in order, become the system instruction',
      messages: [
        { role: 'system', content: 'S1' },
        { role: 'user', content: 'hi' },
        {
          role: 'developer',
          content: [
            { type: 'text', text: 'S2' },
            { type: 'text', text: 'S3' },
          ],
        },
      ],
      want: { systemInstruction: { parts: [text('S1'), text('S2'), text('S3')] }, contents: [user(text('hi'))] },
    },
    {
      rule: 'an early model gets system messages as turns',
      model: 'gemini-1.0-pro-001',
      messages: [
        { role: 'system', content: 'S1' },
        { role: 'user', content: 'hi' },
      ],
      want: { contents: [user(text('S1'), text('hi'))] },
    },
    {
      rule: 'turns of one role are merged',
      messages: [
        { role: 'user', content: 'a' },
        { role: 'user', content: 'b' },
        { role: 'assistant', content: 'c' },
        { role: 'assistant', content: 'd' },
      ],
      want: { contents: [user(text('a'), text('b')), model(text('c'), text('d'))] },
    },
    {
      rule: 'but not for vision models',
      model: 'gemini-1.0-ultra-vision',
      messages: [
        { role: 'user', content: 'a' },
        { role: 'user', content: 'b' },
      ],
      want: { contents: [user(text('a')), user(text('b'))] },
    },
    {
      rule: 'empty texts are left out, a refusal is text',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: '' },
            { type: 'refusal', refusal: 'no' },
            { type: 'text', text: 'x' },
          ],
        },
        { role: 'assistant', content: null },
      ],
      want: { contents: [user(text('no'), text('x'))] },
    },
    {
      rule: 'text is kept together with tool calls, empty arguments are an empty object',
      messages: [
        {
          role: 'assistant',
          content: 'let me look',
          tool_calls: [
            { id: 't1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
            { id: 't2', type: 'function', function: { name: 'g', arguments: '' } },
          ],
        },
      ],
      want: {
        contents: [
          model(
            text('let me look'),
            { functionCall: { name: 'f', args: { a: 1 } } },
            { functionCall: { name: 'g', args: {} } },
          ),
        ],
      },
    },
    {
      rule: 'a kept thought signature goes back',
      messages: [
        {
          role: 'assistant',
          tool_calls: [
            { id: 't1', type: 'function', function: { name: 'f', arguments: '{}', thought_signature: 'sig' } },
          ],
        },
      ],
      want: { contents: [model({ functionCall: { name: 'f', args: {} }, thoughtSignature: 'sig' })] },
    },
    {
      rule: 'a later model gets the literal for a signature that was not kept',
      model: 'gemini-3-pro-preview',
      messages: [
        { role: 'assistant', tool_calls: [{ id: 't1', type: 'function', function: { name: 'f', arguments: '{}' } }] },
      ],
      want: {
        contents: [
          model({ functionCall: { name: 'f', args: {} }, thoughtSignature: 'skip_thought_signature_validator' }),
        ],
      },
    },
    {
      rule: 'a tool result is named by its call, joined, or taken as an object',
      messages: [
        { role: 'assistant', tool_calls: [{ id: 't1', type: 'function', function: { name: 'f', arguments: '{}' } }] },
        {
          role: 'tool',
          tool_call_id: 't1',
          content: [
            { type: 'text', text: '4' },
            { type: 'text', text: '2' },
          ],
        },
        { role: 'tool', tool_call_id: 't1', content: '{"ok":true}' },
        { role: 'function', name: 'named', content: 'x' },
        { role: 'tool', tool_call_id: 'unknown', content: '' },
      ],
      want: {
        contents: [
          model({ functionCall: { name: 'f', args: {} } }),
          user(
            { functionResponse: { name: 'f', response: { content: '42' } } },
            { functionResponse: { name: 'f', response: { ok: true } } },
            { functionResponse: { name: 'named', response: { content: 'x' } } },
            { functionResponse: { name: 'gateway-tool-filler-name', response: { content: '' } } },
          ),
        ],
      },
    },
    { rule: 'no messages give no turns', messages: undefined, want: { contents: [] } },
  ])('$rule', ({ messages, model: name, want }) => {
    expect(bodyOf({ messages }, name === undefined ? {} : { model: name })).toEqual(want);
  });
});
