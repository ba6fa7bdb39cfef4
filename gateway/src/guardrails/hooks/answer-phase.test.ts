import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../wire/contract.ts';
import { toolsOf } from '../testing.ts';
import { type CompiledHook, runHooks } from './index.ts';
import { factsOf, hookOf, refuses, replaces, type TestCheck } from './testing.ts';

describe('hooks of an answer', () => {
  const answer = (content: string, more: object = {}) => ({
    choices: [{ message: { role: 'assistant', content }, ...more }],
  });
  const runOn = (
    hooks: readonly CompiledHook[],
    response: JsonObject,
    requestType: 'chatComplete' | 'createModelResponse' = 'chatComplete',
  ) => runHooks(hooks, factsOf('q', { phase: 'output', requestType, response, responseStatus: 200 }), () => toolsOf());
  const sees = (seen: unknown[]): TestCheck => ({
    run: ({ response }) => {
      seen.push(response);
      return { verdict: true };
    },
  });

  test('that a config names do not run when a default denies', async () => {
    const seen: unknown[] = [];
    const strict = hookOf([refuses('bad')], { id: 'strict', deny: true, owner: 'organisation' });
    const { denied, results } = await runOn([hookOf([sees(seen)]), strict], answer('bad'));
    expect([denied?.hook, results.map(({ id }) => id), seen]).toEqual([strict, ['strict'], []]);
  });

  test('that a config names see only what the defaults have left, without probabilities of tokens', async () => {
    const seen: unknown[] = [];
    const hooks = [
      hookOf([sees(seen)], { id: 'named' }),
      hookOf([replaces('secret', '<1>')], { id: 'default', owner: 'workspace' }),
    ];
    const { results, body } = await runOn(hooks, answer('a secret', { logprobs: { content: [{ token: 'secret' }] } }));
    expect(seen).toEqual([answer('a <1>', { logprobs: null })]);
    expect(body).toEqual(answer('a <1>', { logprobs: null }));
    expect(results.map(({ id }) => id)).toEqual(['named', 'default']);
  });

  test('leave nothing of a changed text in other members of the answer', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } };
    const code = { type: 'executable_code', executable_code: { code: 'print("secret")' } };
    const given = [{ type: 'thinking', thinking: 'Hm' }, { type: 'text', text: 'a ' }, code, image];
    const said = (content: string, content_blocks: readonly object[], more: object = {}) => ({
      choices: [{ message: { role: 'assistant', content, content_blocks }, ...more }],
    });
    const quotes = { groundingMetadata: { groundingSupports: [{ segment: { text: 'a secret' } }] } };
    const last = { type: 'text', text: 'secret' };
    const { body } = await runOn([hookOf([replaces('secret', '<1>')])], {
      ...said('a secret', [...given, last], quotes),
      citations: [{ start: 0, end: 8, text: 'a secret' }],
    });
    expect(body).toEqual(said('a <1>', [{ type: 'thinking', thinking: 'Hm' }, image, { type: 'text', text: 'a <1>' }]));
  });

  test('change code and its output where the text has none of it, and keep the rest', async () => {
    const said = (word: string) => ({
      choices: [
        {
          message: {
            content: 'a',
            content_blocks: [
              { type: 'executable_code', executable_code: { language: 'PYTHON', code: `print("${word}")` } },
              { type: 'code_execution_result', code_execution_result: { outcome: 'OUTCOME_OK', output: word } },
              { type: 'text', text: 'a', thought_signature: 'c2ln' },
            ],
          },
        },
      ],
    });
    const { body } = await runOn([hookOf([replaces('secret', '<1>')])], said('secret'));
    expect(body).toEqual(said('<1>'));
    const { denied } = await runOn([hookOf([refuses('secret')], { deny: true })], said('secret'));
    expect(denied).toBeDefined();
  });

  test('change citations and grounding where the text has none of it', async () => {
    const said = (word: string) => ({
      choices: [
        {
          message: { content: 'a', annotations: [{ url_citation: { title: word, url: 'b' } }] },
        },
      ],
    });
    const quoted = (word: string) => ({
      choices: [{ message: { content: 'a' }, groundingMetadata: { groundingChunks: [{ web: { title: word } }] } }],
      citations: [{ text: 'a', sources: [{ document: { snippet: word } }] }],
    });
    for (const answer of [said, quoted]) {
      const { body } = await runOn([hookOf([replaces('secret', '<1>')])], answer('secret'));
      expect(body).toEqual(answer('<1>'));
      const { denied } = await runOn([hookOf([refuses('secret')], { deny: true })], answer('secret'));
      expect(denied).toBeDefined();
    }
  });

  test('change what stands beside the content of a message, and keep the rest', async () => {
    const said = (word: string) => ({
      choices: [
        {
          message: {
            content: 'a',
            content_blocks: [
              { type: 'text', text: `b ${word}` },
              { type: 'code_execution_result', code_execution_result: { output: 'c' } },
            ],
            executed_tools: [{ type: 'search', arguments: `{"q":"${word}"}`, output: `c ${word}` }],
            context: { citations: [{ content: word, url: 'd' }], intent: `["${word}"]` },
            citations: [{ text: word }],
            audio: { data: 'AA==', transcript: word },
          },
        },
      ],
      related_questions: [`What is ${word}?`],
      citations: [`https://a.example/${word}`],
    });
    const { body } = await runOn([hookOf([replaces('secret', '<1>')])], said('secret'));
    expect(body).toEqual(said('<1>'));
  });

  test('leave out citations in a message whose content is changed', async () => {
    const said = (content: string, more: object) => ({ choices: [{ message: { content, ...more } }] });
    const { body } = await runOn([hookOf([replaces('secret', '<1>')])], said('secret', { citations: [{ start: 0 }] }));
    expect(body).toEqual(said('<1>', {}));
  });

  test('change a summary of thoughts, and leave out the signature of what was there', async () => {
    const said = (word: string, signed: object) => ({
      output: [
        { type: 'reasoning', id: 'r1', summary: [{ type: 'summary_text', text: word }], ...signed },
        {
          type: 'reasoning',
          id: 'r2',
          summary: [{ type: 'summary_text', text: 'a' }],
          encrypted_content: 'gatehouse.signed.b',
        },
        { type: 'message', content: [{ type: 'output_text', text: 'a' }] },
      ],
    });
    const changed = (signed: object) =>
      runOn([hookOf([replaces('secret', '<1>')])], said('secret', signed), 'createModelResponse');
    const own = { encrypted_content: 'gatehouse.signed.a' };
    expect((await changed(own)).body).toEqual(said('<1>', {}));
    const foreign = { encrypted_content: 'gAAAA' };
    expect((await changed(foreign)).body).toEqual(said('<1>', foreign));
  });

  test('that a config names cannot bring back what a default denies', async () => {
    const strict = hookOf([refuses('bad')], { deny: true, owner: 'organisation' });
    const { denied } = await runOn([hookOf([replaces('a', 'bad')]), strict], answer('a'));
    expect(denied?.hook).toBe(strict);
  });
});
