import { describe, expect, test } from 'vitest';
import { chatPromptOf, completionPromptOf } from './prompt.ts';

const SYSTEM = { role: 'system', content: 'Be short.' };
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const IMAGE = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };

describe('the prompt of a chat', () => {
  test('is what is said after the instructions, which stay with the rest', () => {
    const developer = { role: 'developer', content: 'Be kind.' };
    const params = {
      model: 'm',
      temperature: 0,
      messages: [SYSTEM, developer, user('Hi'), assistant('Ho'), user('Go')],
    };
    expect(chatPromptOf(params)).toEqual({
      text: 'Hi\n###\nHo\n###\nGo\n###\n',
      rest: {
        ...{ model: 'm', temperature: 0 },
        messages: [SYSTEM, developer, { role: 'user' }, { role: 'assistant' }, { role: 'user' }],
      },
    });
  });

  test('begins with the first message where that is of the user', () => {
    expect(chatPromptOf({ messages: [user('Hi')] })?.text).toBe('Hi\n###\n');
  });

  test('has the texts of parts, and whatever else a message has stays with the rest', () => {
    const parts = [{ type: 'text', text: 'Hi' }];
    expect(chatPromptOf({ messages: [{ ...user(parts), name: 'ada' }] })).toEqual({
      text: `${JSON.stringify(parts)}\n###\n`,
      rest: { messages: [{ role: 'user', name: 'ada' }] },
    });
  });

  test.for([
    { rule: 'there are no messages', params: {} },
    { rule: 'messages are no list', params: { messages: 'Hi' } },
    { rule: 'there are instructions alone', params: { messages: [SYSTEM] } },
    { rule: 'no user says anything', params: { messages: [assistant('Ho')] } },
    { rule: 'there are more than four messages', params: { messages: [1, 2, 3, 4, 5].map(() => user('Hi')) } },
    { rule: 'there is an image', params: { messages: [user([{ type: 'text', text: 'Hi' }, IMAGE])] } },
    {
      rule: 'a tool was called',
      params: { messages: [user('Hi'), { role: 'assistant', content: null, tool_calls: [] }] },
    },
    { rule: 'there is too much text', params: { messages: [user('x'.repeat(8_191 * 4))] } },
    { rule: 'a message is none', params: { messages: [user('Hi'), null] } },
  ])('is none where $rule', ({ params }) => {
    expect(chatPromptOf(params)).toBeUndefined();
  });
});

test.for([
  { params: { prompt: 'Hi', n: 1 }, want: { text: 'Hi', rest: { n: 1 } } },
  { params: { prompt: ' ' }, want: undefined },
  { params: { prompt: ['Hi'] }, want: undefined },
  { params: { prompt: 'x'.repeat(8_191 * 4 + 1) }, want: undefined },
  { params: {}, want: undefined },
])('the prompt of a completion is its text: %#', ({ params, want }) => {
  expect(completionPromptOf(params)).toEqual(want);
});
