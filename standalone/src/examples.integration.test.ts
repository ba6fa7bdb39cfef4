/** Every file of `examples/` as `make run` serves it, but for the port of the mock provider. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isObject } from '@gatehouse/crds';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMockProvider, type MockProvider } from './mock-provider/index.ts';
import { startTestProcess, type TempFolder, type TestProcess, tempFolder } from './testing/index.ts';

const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url));
const APP_KEY = 'gwk_example_key_for_trying_only';
const LIMITED_KEY = 'gwk_example_limited_key_for_trying_only';

let mock: MockProvider;
let folder: TempFolder;
let running: TestProcess;

beforeAll(async () => {
  mock = await createMockProvider();
  folder = tempFolder();
  cpSync(EXAMPLES, folder.path, { recursive: true });
  for (const name of readdirSync(folder.path, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.yaml')) continue;
    const file = join(folder.path, name);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('http://127.0.0.1:8790', mock.url));
  }
  running = await startTestProcess(folder.path);
});
afterAll(async () => {
  await running.close();
  await mock.close();
  folder[Symbol.dispose]();
});

interface Answer {
  readonly status: number;
  readonly provider: string | null;
  readonly cache: string | null;
  readonly model: unknown;
}

async function ask(
  headers: Readonly<Record<string, string>>,
  { model = 'gpt-4o-mini', key = APP_KEY } = {},
): Promise<Answer> {
  const response = await fetch(`${running.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Say hello' }] }),
  });
  const body: unknown = await response.json();
  return {
    status: response.status,
    provider: response.headers.get('x-gw-provider'),
    cache: response.headers.get('x-gw-cache-status'),
    model: isObject(body) ? body['model'] : undefined,
  };
}

describe('the examples', () => {
  test('have no problems', async () => {
    const status = (await (await fetch(`${running.adminUrl}/internal/status`)).json()) as {
      source: { problems: unknown[] };
      snapshot: { skipped: unknown[] };
    };
    expect([status.source.problems, status.snapshot.skipped]).toEqual([[], []]);
  });

  test.for([
    { rule: 'the default config', headers: {}, want: { provider: 'openai', model: 'gpt-4o-mini' } },
    { rule: 'the fallback', headers: { 'x-gw-config': 'fallback' }, want: { provider: 'openai' } },
    {
      rule: 'the conditional one, for those who pay',
      headers: { 'x-gw-config': 'conditional', 'x-gw-metadata': '{"plan":"paid"}' },
      want: { provider: 'anthropic', model: 'claude-opus-4-1' },
    },
    {
      rule: 'the conditional one, for others',
      headers: { 'x-gw-config': 'conditional' },
      want: { provider: 'openai', model: 'gpt-4o-mini' },
    },
    {
      rule: 'the weighted one',
      headers: { 'x-gw-config': 'weighted' },
      want: { provider: expect.stringMatching(/openai|google/) },
    },
    { rule: 'an inline config', headers: { 'x-gw-config': '{"provider":"@google"}' }, want: { provider: 'google' } },
  ])('answer with $rule', async ({ headers, want }) => {
    expect(await ask(headers)).toMatchObject({ status: 200, ...want });
  });

  test("serve Anthropic's own format without a header", async () => {
    const response = await fetch(`${running.url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': APP_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'claude-sonnet-4-5',
        max_tokens: 64,
        messages: [{ role: 'user', content: 'Say hello' }],
      }),
    });
    expect(response.headers.get('x-gw-provider')).toBe('anthropic');
    expect(await response.json()).toMatchObject({ type: 'message', role: 'assistant' });
  });

  test('fall back to the second provider when the first one fails', async () => {
    const answer = await ask({}, { model: 'mock-fail-503' });
    expect(answer).toMatchObject({ status: 200, provider: 'anthropic', model: 'claude-sonnet-4-5' });
  });

  test('answer from the cache the second time', async () => {
    const headers = { 'x-gw-config': 'cached' };
    expect((await ask(headers)).cache).toBe('MISS');
    expect(await ask(headers)).toMatchObject({ status: 200, cache: 'HIT' });
  });

  test('limit the key that has a limit', async () => {
    const answers = await Promise.all(Array.from({ length: 11 }, () => ask({}, { key: LIMITED_KEY })));
    // A minute may begin in between, and start the count anew.
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(10);
    expect(answers.every(({ status }) => status === 200 || status === 429)).toBe(true);
  });
});
