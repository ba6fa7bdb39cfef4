/** One caller of a workspace must not decide what the cache answers to the others. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '../../kit/gateway.ts';
import { type RawUpstream, startRawUpstream } from '../../kit/raw-upstream.ts';
import { config, KEY, key, provider, workspace } from '../../kit/snapshot.ts';
import { waitFor } from '../../kit/wait-for.ts';

const CACHE = { mode: 'simple' };
let upstream: RawUpstream;
let gateway: RunningGateway;
let questions = 0;

beforeAll(async () => {
  upstream = await startRawUpstream((reply) => {
    const call = upstream.requests.length; // each call has an answer of its own
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'hi' }], usage };
    const answer = reply.request.target.endsWith('/messages') ? message : { object: 'chat.completion', choices: [] };
    const body = JSON.stringify({ id: `call-${call}`, model: 'm', ...answer });
    return reply.answer(200, body, { 'content-type': 'application/json' });
  });
  const account = (slug: string, vendor = 'openai') =>
    provider(slug, { provider: vendor, customHost: upstream.url, secret: 'sk-stored-secret' });
  gateway = await startGateway({
    env: { TRUSTED_CUSTOM_HOSTS: '127.0.0.1' },
    entries: [
      workspace(),
      key(),
      ...account('one'),
      ...account('two'),
      ...account('claude', 'anthropic'),
      config('saved', { provider: '@one', cache: CACHE }),
    ],
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

type Headers = Readonly<Record<string, string>>;
const inline = (document: object): Headers => ({ 'x-gw-config': JSON.stringify({ cache: CACHE, ...document }) });
const SAVED = { 'x-gw-config': 'saved' };
const NAMESPACE = { 'x-gw-cache-namespace': 'shared' };
const FORWARDED = { 'x-gw-forward-headers': 'x-persona', 'x-persona': 'pirate' };

const OWN = { ...inline({}), 'x-gw-provider': 'openai', 'x-gw-custom-host': '' };

const ask = (headers: Headers, question: string) =>
  gateway.send('/v1/chat/completions', {
    headers: {
      'x-gw-api-key': KEY,
      ...headers,
      ...('x-gw-custom-host' in headers ? { 'x-gw-custom-host': upstream.url } : {}),
    },
    body: { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: question }] },
  });

/** Asks until the answer comes from the cache. */
const untilCached = (headers: Headers, question: string) =>
  waitFor(async () => {
    const answer = await ask(headers, question);
    return answer.headers['x-gw-cache-status'] === 'HIT' ? answer : undefined;
  });

const newQuestion = (): string => {
  questions += 1;
  return `question ${questions}`;
};

const statusOf = async (headers: Headers, question: string) =>
  (await ask(headers, question)).headers['x-gw-cache-status'];

describe('an answer that was stored for one call is not given to', () => {
  test.for<{ rule: string; poison: Headers; victim: Headers }>([
    { rule: 'a call without its forwarded headers', poison: { ...SAVED, ...FORWARDED }, victim: SAVED },
    {
      rule: 'a call with other values of them',
      poison: { ...SAVED, ...FORWARDED },
      victim: { ...SAVED, ...FORWARDED, 'x-persona': 'poet' },
    },
    {
      rule: 'a call without its fields',
      poison: { ...inline({ provider: '@claude' }), 'x-gw-anthropic-beta': 'odd-feature' },
      victim: inline({ provider: '@claude' }),
    },
    {
      rule: "a call without the vendor's header for a field",
      poison: { ...inline({ provider: '@claude' }), 'anthropic-beta': 'odd-feature' },
      victim: inline({ provider: '@claude' }),
    },
    {
      rule: 'another account at the same host',
      poison: inline({ provider: '@two' }),
      victim: inline({ provider: '@one' }),
    },
    { rule: 'a saved config', poison: inline({ provider: '@one' }), victim: SAVED },
    {
      rule: 'another credential at the same host',
      poison: { ...OWN, authorization: 'Bearer sk-own' },
      victim: { ...OWN, authorization: 'Bearer sk-other' },
    },
    {
      rule: 'a strict client',
      poison: { ...SAVED, 'x-gw-strict-open-ai-compliance': 'false' },
      victim: SAVED,
    },
  ])('$rule', async ({ poison, victim }) => {
    const question = newQuestion();
    await untilCached(poison, question);
    expect(await statusOf(victim, question)).toBe('MISS');
  });
});

describe('a namespace, which leaves headers out of the key', () => {
  test('is shared by calls that bring nothing of their own', async () => {
    const question = newQuestion();
    await untilCached({ ...SAVED, ...NAMESPACE, 'x-gw-metadata': '{"a":"1"}' }, question);
    expect(await statusOf({ ...SAVED, ...NAMESPACE, 'x-gw-metadata': '{"a":"2"}' }, question)).toBe('HIT');
  });

  test.for<{ rule: string; headers: Headers }>([
    { rule: 'that forward headers', headers: { ...SAVED, ...FORWARDED } },
    { rule: 'with fields of their own', headers: { ...inline({ provider: '@claude' }), 'x-gw-anthropic-beta': 'x' } },
    { rule: 'with settings of their own', headers: inline({ provider: '@claude', anthropic_version: '2020-01-01' }) },
    { rule: 'with a host of their own', headers: { ...SAVED, 'x-gw-custom-host': '' } },
  ])('is neither read nor written by calls $rule', async ({ headers }) => {
    expect(await statusOf({ ...headers, ...NAMESPACE }, newQuestion())).toBe('DISABLED');
  });
});

test('headers that decide nothing do not divide the cache', async () => {
  const question = newQuestion();
  await untilCached({ ...SAVED, 'user-agent': 'a', 'x-other': '1' }, question);
  expect(await statusOf({ ...SAVED, 'user-agent': 'b', 'x-other': '2' }, question)).toBe('HIT');
});
