import { CHECK_ENTRIES } from '@gatehouse/crds/guardrails';
import { describe, expect, test } from 'vitest';
import type { CheckAnswer } from '../contract.ts';
import { CHECKS } from '../register.ts';
import { toolsOf } from '../testing.ts';
import { compileHook, runHooks } from './index.ts';
import { chat, factsOf, hookOf, refuses, replaces, type TestCheck } from './testing.ts';

const WORD = 'canary';
const TEXT = `{"${WORD}": "${WORD}"} ${WORD}\n\`\`\`${WORD}\nx\n\`\`\`\nhttps://${WORD}.example ${WORD}@a.example`;
const answer = (content: string) => ({ choices: [{ message: { role: 'assistant', content } }] });
const factsOfAnswer = (content: string) =>
  factsOf('q', { phase: 'output', response: answer(content), responseStatus: 200 });

/** Parameters with which a check that works here finds the word. */
const PARAMETERS: Readonly<Record<string, object>> = {
  'default.regexMatch': { rule: `(?P<word>${WORD})`, not: true },
  'default.contains': { words: [WORD, `x${WORD}`], operator: 'none' },
  'default.endsWith': { suffix: 'x' },
  'default.containsCode': { format: 'Go' },
  'default.jsonSchema': { schema: { additionalProperties: false, properties: { [WORD]: { const: 1 } } } },
  'default.jsonKeys': { keys: [WORD, `x${WORD}`], operator: 'none' },
  'default.regexReplace': { rule: 'exampl[e]', failOnDetection: true },
  'default.addPrefix': { prefix: 'x' },
  'default.modelWhitelist': { models: ['x'] },
  'default.modelRules': { rules: { defaults: ['x'] } },
  'default.allowedRequestTypes': { allowedTypes: 'embed' },
  'default.requiredMetadataKeys': { metadataKeys: ['x'] },
  'default.requiredMetadataKeyPairs': { metadataPairs: { x: 'y' }, matchType: 'exact' },
  'default.requestParametersCheck': { params: { values: { model: { allowedValues: ['x'] } } } },
};

/** What the results say of the check beside a denial, without what the check has of its parameters. */
async function dataBesideDenial(id: string): Promise<string> {
  const parameters = CHECKS.get(id)?.entry.parameters.parse(PARAMETERS[id] ?? {}) ?? {};
  const hook = compileHook(
    { type: 'guardrail', checks: [{ id, enabled: true, failOnError: false, parameters: { ...parameters } }] },
    { checks: CHECKS, id: 'hook', scope: 'request' },
  );
  const denying = hookOf([refuses(WORD)], { deny: true });
  const { results, denied } = await runHooks([hook, denying], factsOfAnswer(TEXT), () => toolsOf());
  expect(denied?.hook).toBe(denying);
  const [result] = results;
  expect(result?.checks[0]?.id).toBe(id);
  const { regexPattern: _, ...data } = (result?.checks[0]?.data ?? {}) as Record<string, unknown>; // data of checks here are objects
  return JSON.stringify({ ...result, checks: [{ ...result?.checks[0], data }] });
}

describe('beside a denial the results', () => {
  const local = CHECK_ENTRIES.filter(({ callsOut }) => callsOut !== true).map(({ id }) => id);
  test.for(local)('of %s quote nothing of the answer', async (id) => {
    expect(await dataBesideDenial(id)).not.toContain(WORD);
  });

  test('of a check that calls a service have neither its data nor its messages', async () => {
    const asks: TestCheck = {
      entry: { callsOut: true },
      run: (): CheckAnswer => ({ verdict: false, data: [WORD], log: WORD, error: { name: 'E', message: WORD } }),
    };
    const hooks = [hookOf([asks]), hookOf([refuses(WORD)], { deny: true })];
    const { results } = await runHooks(hooks, factsOfAnswer(TEXT), () => toolsOf());
    expect(JSON.stringify(results)).not.toContain(WORD);
    expect(results[0]?.checks).toMatchObject([{ data: null, log: null, error: { name: 'E' } }]);
  });
});

describe('what a check quotes', () => {
  const quoting: TestCheck = {
    entry: { quotes: ['textExcerpt'] },
    run: ({ text }) => ({ verdict: true, data: { count: 1, textExcerpt: text } }),
  };
  const dataOf = async (facts: Parameters<typeof runHooks>[1], beside: TestCheck) => {
    const { results } = await runHooks([hookOf([quoting]), hookOf([beside], { deny: true })], facts, () => toolsOf());
    return results[0]?.checks[0]?.data;
  };

  test('is left out where a hook changes the answer', async () => {
    expect(await dataOf(factsOfAnswer('a secret'), replaces('secret', '[1]'))).toEqual({ count: 1 });
  });

  test('is shown of an answer that the client gets as it is, and of its own request', async () => {
    expect(await dataOf(factsOfAnswer('fine'), refuses('bad'))).toEqual({ count: 1, textExcerpt: 'fine' });
    const input = factsOf('a bad text', { request: chat('a bad text') });
    expect(await dataOf(input, refuses('bad'))).toEqual({ count: 1, textExcerpt: 'a bad text' });
  });
});
