import { describe, expect, test } from 'vitest';
import { Placeholders } from '../../guardrails/stream/index.ts';
import { restoreAnswer } from './restore-answer.ts';

const placeholders = new Placeholders(new Map([['<NAME_1>', 'Ada "the" first']]));
const restore = (answer: object) => restoreAnswer({ ...answer }, placeholders);

describe('placeholders are replaced', () => {
  test.for<[where: string, answer: object, want: object]>([
    [
      'in the texts of all choices',
      { choices: [{ message: { content: 'a' } }, { message: { content: '<NAME_1>!' } }] },
      { choices: [{ message: { content: 'a' } }, { message: { content: 'Ada "the" first!' } }] },
    ],
    [
      'in arguments of tools, as JSON',
      { choices: [{ message: { tool_calls: [{ function: { name: 'f', arguments: '{"to":"<NAME_1>"}' } }] } }] },
      {
        choices: [
          { message: { tool_calls: [{ function: { name: 'f', arguments: '{"to":"Ada \\"the\\" first"}' } }] } },
        ],
      },
    ],
    [
      'in the input of tools of messages',
      { content: [{ type: 'tool_use', input: { to: ['<NAME_1>'] } }] },
      { content: [{ type: 'tool_use', input: { to: ['Ada "the" first'] } }] },
    ],
    [
      'in the output of responses',
      { output: [{ content: [{ text: 'Hi <NAME_1>' }] }], model: '<NAME_1>' },
      { output: [{ content: [{ text: 'Hi Ada "the" first' }] }], model: '<NAME_1>' },
    ],
  ])('%s', ([, answer, want]) => {
    expect(restore(answer)).toEqual(want);
  });

  test('without touching an answer that has none', () => {
    const answer = { choices: [{ message: { content: 'NAME_1' } }], usage: { total_tokens: 1 } };
    expect(restoreAnswer(answer, placeholders)).toBe(answer);
  });

  test('without a prototype for names of the provider', () => {
    const answer = { content: [JSON.parse('{"__proto__": {"x": 1}, "text": "<NAME_1>"}')] };
    const restored = restore(answer) as { content: [{ x?: number; text: string }] };
    expect([restored.content[0].x, restored.content[0].text]).toEqual([undefined, 'Ada "the" first']);
  });
});
