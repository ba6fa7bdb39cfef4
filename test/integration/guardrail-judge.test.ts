/** A guardrail that asks a model, over sockets: docs/behaviour/guardrails.md#a-model-as-the-judge. */
import type { RequestRecord } from '@gatehouse/gateway';
import { describe, expect, test } from 'vitest';
import { startWorld } from '../kit/gateway.ts';
import { guardrail, price, provider, TEAM, workspace } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const scored = (score: number) => ({ 'x-mock-text': JSON.stringify({ score, reason: 'as told' }) });

interface Judge {
  readonly account?: string;
  readonly parameters?: object;
  readonly failOnError?: boolean;
  readonly records?: RequestRecord[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A gateway whose requests are judged by the model of an account: @good, @bad and @broken say what the name says. */
const start = (phase: 'input' | 'output', judge: Judge = {}) => {
  const { account = 'bad', parameters = {}, failOnError = false, records = [], env = {} } = judge;
  return startWorld({
    env,
    sinks: [{ name: 'test', readsUsage: true, record: (record) => void records.push(record) }],
    entries: (mock) => [
      ...Object.entries({
        good: scored(0.9),
        bad: scored(0.1),
        broken: { 'x-mock-text': 'It is fine.' },
        failing: { 'x-mock-status': '500' },
      }).map(([slug, headers]) => provider(slug, { customHost: `${mock.url}/v1`, headers })),
      workspace(TEAM, { defaults: { [phase === 'input' ? 'inputGuardrails' : 'outputGuardrails']: ['judged'] } }),
      guardrail('judged', [
        {
          id: 'llm.judge',
          parameters: {
            prompt: 'The text is polite.',
            model: `@${account}/mock-judge`,
            threshold: 0.5,
            includeRequest: false,
            maxTokens: 64,
            timeout: 5_000,
            ...parameters,
          },
          failOnError,
        },
      ]),
      price('mock-judge', { usdPerMillionTokens: { request: '1', response: '2' } }),
      price('mock-small', { usdPerMillionTokens: { request: '1', response: '2' } }),
      provider('limited', {
        customHost: `${mock.url}/v1`,
        headers: scored(0.9),
        usageLimits: [{ name: 'main', type: 'tokens', limit: 1 }],
      }),
    ],
  });
};

type Running = Awaited<ReturnType<typeof start>>;

const chat = (world: Running, headers: Readonly<Record<string, string>> = {}, text = 'You fool') =>
  world.send('/v1/chat/completions', {
    headers: { 'x-gw-provider': '@openai', 'x-gw-strict-open-ai-compliance': 'false', ...headers },
    body: { model: 'mock-small', messages: [{ role: 'user', content: text }] },
  });

const modelsAsked = ({ mock }: Running): unknown[] => mock.requests.map(({ body }) => JSON.parse(String(body)).model);

describe('a judge', () => {
  test('denies a request below the threshold, before its provider is called', async () => {
    await using world = await start('input');
    const { status, json } = await chat(world);
    expect(status).toBe(446);
    const [hook] = json().hook_results.before_request_hooks;
    expect(hook.checks).toMatchObject([{ id: 'llm.judge', verdict: false, data: { score: 0.1, reason: 'as told' } }]);
    expect(modelsAsked(world)).toEqual(['mock-judge']);
  });

  test('lets a request pass at the threshold', async () => {
    await using world = await start('input', { account: 'good', parameters: { threshold: 0.9 } });
    expect((await chat(world)).status).toBe(200);
    expect(modelsAsked(world)).toEqual(['mock-judge', 'mock-small']);
  });

  test('withholds an answer', async () => {
    await using world = await start('output');
    expect((await chat(world)).status).toBe(446);
    expect(modelsAsked(world)).toEqual(['mock-small', 'mock-judge']);
  });

  test('is asked with the credential of its account, and with nothing of the client', async () => {
    await using world = await start('input', { account: 'good' });
    const { status } = await chat(world, {
      'x-gw-metadata': '{"team":"x"}',
      'x-gw-forward-headers': 'x-own',
      'x-own': 'mine',
      'x-gw-request-timeout': '9999',
    });
    expect(status).toBe(200);
    const [question] = world.mock.requests;
    expect(question?.headers['authorization']).toBe('Bearer sk-good');
    expect(question?.headers).not.toHaveProperty('x-own');
    const { messages, max_completion_tokens: most } = JSON.parse(String(question?.body));
    expect([messages[1].content, most]).toEqual([JSON.stringify({ text: 'You fool' }), 64]);
  });

  test.for([
    { rule: 'an answer that is no judgement', account: 'broken', name: 'ParseError' },
    { rule: 'a provider that fails', account: 'failing', name: 'HttpError' },
    { rule: 'an account that is not there', account: 'nowhere', name: 'CredentialError' },
  ])('has an error for $rule, which fails the request only with failOnError', async ({ account, name }) => {
    await using open = await start('input', { account });
    const passed = await chat(open);
    expect([passed.status, passed.json().hook_results.before_request_hooks[0].checks[0].error.name]).toEqual([
      200,
      name,
    ]);
    await using closed = await start('input', { account, failOnError: true });
    expect((await chat(closed)).status).toBe(446);
  });

  test('is an attempt of the request, with what it costs', async () => {
    const records: RequestRecord[] = [];
    await using world = await start('input', { account: 'good', records });
    expect((await chat(world)).status).toBe(200);
    await waitFor(() => records.length === 1);
    const attempts = records[0]?.attempts.map(({ model, calls, cost }) => [model, calls, (cost?.nanoDollars ?? 0) > 0]);
    expect(attempts).toEqual([
      ['mock-judge', 1, true],
      ['mock-small', 1, true],
    ]);
    expect(records[0]?.answeredBy?.model).toBe('mock-small');
  });

  test('uses the budget of its account, whose end is an error of the check', async () => {
    await using world = await start('input', { account: 'limited', failOnError: true });
    expect((await chat(world)).status).toBe(200);
    expect((await chat(world)).status).toBe(446);
    expect(modelsAsked(world)).toEqual(['mock-judge', 'mock-small']);
  });

  test('counts among the calls that a request may cause', async () => {
    await using world = await start('input', { account: 'good', env: { GATEHOUSE_MAX_ATTEMPTS_PER_REQUEST: '1' } });
    const { status, headers } = await chat(world);
    expect([status >= 400, headers['x-gw-attempts-exhausted'], modelsAsked(world)]).toEqual([
      true,
      'true',
      ['mock-judge'],
    ]);
  });
});
