/** What content blocks of a chat completion say beside its content. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../wire/contract.ts';
import { placesOf, responseText, withTexts } from './index.ts';

const answer = (content: unknown, content_blocks: unknown): JsonObject => ({
  choices: [{ message: { content, content_blocks } }],
});
const code = (text: unknown) => ({
  type: 'executable_code',
  executable_code: { language: 'PYTHON', code: text },
  thought_signature: 'c2ln',
});
const output = (text: unknown) => ({
  type: 'code_execution_result',
  code_execution_result: { outcome: 'OUTCOME_OK', output: text },
});
const plan = (text: unknown) => ({ type: 'thinking', tool_plan: true, thinking: text });

test('the summary of a message is looked at', () => {
  const body: JsonObject = {
    content: [
      { type: 'compaction', content: 'a' },
      { type: 'text', text: 'b' },
    ],
  };
  expect(placesOf('messages', 'output', body).map(({ text }) => text)).toEqual(['a', 'b']);
});

test.for<{ name: string; body: JsonObject; want: readonly string[] }>([
  {
    name: 'code that a provider has run, what came of it, and a plan',
    body: answer('a', [plan('b'), { type: 'text', text: 'a' }, code('c'), output('d')]),
    want: ['a', 'b', 'c', 'd'],
  },
  { name: 'code beside tool calls', body: answer(null, [code('a')]), want: ['a'] },
  {
    name: 'code and output of one block, whatever its type is',
    body: answer('a', [{ executable_code: { code: 'b' }, code_execution_result: { output: 'c' } }]),
    want: ['a', 'b', 'c'],
  },
  { name: 'no thoughts', body: answer('a', [{ type: 'thinking', thinking: 'b' }]), want: ['a'] },
  {
    name: 'nothing of what is no block, and has no text',
    body: answer('a', [null, 'b', 7, code(7), output(null), plan({}), { executable_code: ['c'] }]),
    want: ['a'],
  },
  { name: 'nothing of what is no list', body: answer('a', { 0: code('b') }), want: ['a'] },
])('$name', ({ body, want }) => {
  const places = placesOf('chatComplete', 'output', body);
  expect(places.map(({ text }) => text)).toEqual(want);
  expect(responseText(body)).toBe(want.join('\n'));
  const before = structuredClone(body);
  const marked = want.map((text) => `<${text}>`);
  const changed = withTexts(body, places, marked);
  expect(placesOf('chatComplete', 'output', changed).map(({ text }) => text)).toEqual(marked);
  expect(body).toEqual(before);
});

test('changed blocks keep all their other members', () => {
  const body = answer('a', [plan('b'), code('c'), output('d')]);
  const changed = withTexts(body, placesOf('chatComplete', 'output', body), ['a', 'x', 'y', 'z']);
  expect(changed).toEqual(answer('a', [plan('x'), code('y'), output('z')]));
});

test('a changed content is changed in its blocks, too', () => {
  const blocks = (...texts: readonly string[]) => [
    ...texts.map((text) => ({ type: 'text', text })),
    { type: 'text', text: '' },
    { type: 'image_url', image_url: { url: 'data:,' } },
  ];
  const body = answer('a secret', blocks('a ', 'secret'));
  const places = placesOf('chatComplete', 'output', body);
  expect(withTexts(body, places, ['a <1>'])).toEqual(answer('a <1>', blocks('a <1>', '')));
  expect(withTexts(body, places, ['a secret'])).toBe(body);
});
