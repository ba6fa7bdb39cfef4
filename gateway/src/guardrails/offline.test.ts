import { type HookSpec, parseHooks } from '@gatehouse/crds/guardrails';
import { describe, expect, test } from 'vitest';
import { createOfflineHooks, type OfflineText } from './offline.ts';

const hooksOf = (...items: unknown[]): readonly HookSpec[] => {
  const parsed = parseHooks(items, { path: [], phase: 'input', literalCredentials: false });
  if (!parsed.ok) throw new Error(parsed.error.map(({ message }) => message).join());
  return parsed.value;
};

const run = (items: unknown[], text: string, over: Partial<OfflineText> = {}) => {
  const hooks = hooksOf(...items);
  const given = { phase: 'input', text, metadata: {}, request: { model: 'm' }, ...over } as const;
  return createOfflineHooks({ input: hooks, output: hooks })(given);
};

const NO_SECRET = { contains: { words: ['secret'], operator: 'none' } };

describe('hooks on a text without a gateway', () => {
  test.for<[rule: string, hook: object, text: string, verdict: boolean, denied: boolean]>([
    ['pass', NO_SECRET, 'hello', true, false],
    ['fail', NO_SECRET, 'a secret', false, false],
    ['deny', { ...NO_SECRET, deny: true }, 'a secret', false, true],
    ['fail and deny nothing in monitor mode', { ...NO_SECRET, deny: true, mode: 'monitor' }, 'a secret', false, false],
    ['fail and deny nothing after the answer', { ...NO_SECRET, async: true }, 'a secret', false, false],
  ])('%s', async ([, hook, text, verdict, denied]) => {
    for (const phase of ['input', 'output'] as const) {
      expect(await run([hook], text, { phase })).toMatchObject({ verdict, denied });
    }
  });

  test('show what they leave of the text', async () => {
    const redact = { regexReplace: { rule: '/[0-9]+/g', redactText: '#' } };
    for (const phase of ['input', 'output'] as const) {
      expect((await run([redact], 'a 1 b 22', { phase })).text).toBe('a # b #');
      expect((await run([{ ...redact, mode: 'monitor' }], 'a 1', { phase })).text).toBe('a 1');
    }
  });

  test('see model, metadata and parameters', async () => {
    const given = { metadata: { team: 'x' }, request: { model: 'm1', tools: [{ type: 'mcp' }] } };
    const hook = {
      modelWhitelist: { models: ['m1'] },
      requiredMetadataKeys: { metadataKeys: ['team'] },
      requestParametersCheck: { tools: { allowedTypes: ['function'] } },
    };
    const { hooks } = await run([hook], 'hello', given);
    expect(hooks[0]?.checks.map(({ id, verdict }) => [id, verdict])).toEqual([
      ['default.modelWhitelist', true],
      ['default.requiredMetadataKeys', true],
      ['default.requestParametersCheck', false],
    ]);
  });

  test('call nobody', async () => {
    const { hooks } = await run([{ webhook: { webhookURL: 'http://127.0.0.1:9/' } }], 'hello');
    expect(hooks[0]?.checks[0]).toMatchObject({ verdict: false, error: { name: 'ConnectionError' } });
  });
});
