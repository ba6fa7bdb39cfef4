import { describe, expect, test } from 'vitest';
import { MAX_RESTORED_CHARS } from '../../guardrails/stream/index.ts';
import { createRegexScheduler } from '../../lib/regex.ts';
import { runSteps } from '../../lib/steps.ts';
import { restoreAnswer } from './restore-answer.ts';

const placeholders = new Map([['[NAME_1]', 'Ada "the" first']]);
const restore = (answer: object) => runSteps(restoreAnswer({ ...answer }, placeholders), nothing);
const nothing = () => Promise.reject(new Error('little work is not interrupted'));

describe('placeholders are replaced', () => {
  test.for<[where: string, answer: object, want: object]>([
    [
      'in the texts of all choices',
      { choices: [{ message: { content: 'a' } }, { message: { content: '[NAME_1]!' } }] },
      { choices: [{ message: { content: 'a' } }, { message: { content: 'Ada "the" first!' } }] },
    ],
    [
      'in arguments of tools, as JSON',
      { choices: [{ message: { tool_calls: [{ function: { name: 'f', arguments: '{"to":"[NAME_1]"}' } }] } }] },
      {
        choices: [
          { message: { tool_calls: [{ function: { name: 'f', arguments: '{"to":"Ada \\"the\\" first"}' } }] } },
        ],
      },
    ],
    [
      'in the input of tools of messages',
      { content: [{ type: 'tool_use', input: { to: ['[NAME_1]'] } }] },
      { content: [{ type: 'tool_use', input: { to: ['Ada "the" first'] } }] },
    ],
    [
      'in the output of responses',
      { output: [{ content: [{ text: 'Hi [NAME_1]' }] }], model: '[NAME_1]' },
      { output: [{ content: [{ text: 'Hi Ada "the" first' }] }], model: '[NAME_1]' },
    ],
  ])('%s', ([, answer, want]) => {
    expect(restore(answer)).toEqual(want);
  });

  test('without touching an answer that has none', () => {
    const answer = { choices: [{ message: { content: 'NAME_1' } }], usage: { total_tokens: 1 } };
    expect(runSteps(restoreAnswer(answer, placeholders), nothing)).toBe(answer);
  });

  test('without a prototype for names of the provider', () => {
    const answer = { content: [JSON.parse('{"__proto__": {"x": 1}, "text": "[NAME_1]"}')] };
    const restored = restore(answer) as { content: [{ x?: number; text: string }] };
    expect([restored.content[0].x, restored.content[0].text]).toEqual([undefined, 'Ada "the" first']);
  });

  test('many of them in slices', async () => {
    const content = '[NAME_1][NAME_2] '.repeat(200_000);
    const nextSlice = createRegexScheduler();
    const answer = { choices: [{ message: { content } }] };
    let turns = 0;
    const restored = await runSteps(restoreAnswer(answer, placeholders), () => {
      turns += 1;
      return nextSlice();
    });
    expect(restored).toEqual({ choices: [{ message: { content: 'Ada "the" first[NAME_2] '.repeat(200_000) } }] });
    expect(turns).toBeGreaterThan(100);
  });

  test('as long as what they stand for is not too much', async () => {
    const long = new Map([['[KEY_1]', 'k'.repeat(16_384)]]);
    const within = Math.floor(MAX_RESTORED_CHARS / 16_384);
    const restoring = (times: number) =>
      runSteps(restoreAnswer({ content: [{ text: '[KEY_1]'.repeat(times) }] }, long), nothing);
    expect(JSON.stringify(restoring(within))).toHaveLength(
      JSON.stringify({ content: [{ text: '' }] }).length + within * 16_384,
    );
    expect(() => restoring(within + 1)).toThrow(expect.objectContaining({ code: 'UPSTREAM_TOO_LARGE' }));
  });
});
