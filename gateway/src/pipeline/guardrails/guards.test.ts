import { expect, test } from 'vitest';
import type { AppError } from '../../errors/index.ts';
import { chat, gateway, PASS } from '../attempt/testing.ts';

const config = { retry: { attempts: 0 } };

test('a check of the request adds headers, and an empty one removes that of the client', async () => {
  const { ask, calls } = gateway({
    inputChecks: [
      ({ params }) => ({
        kind: 'replace',
        params,
        headers: {
          'x-jwt-sub': 'ada',
          'x-team': '',
          authorization: 'Bearer x',
          'content-length': '1',
          'x-gw-config': 'c',
        },
      }),
    ],
  });
  await ask({ ...config, provider: '@first', forward_headers: ['x-team'] }, {}, undefined, { 'x-team': 'client' });
  const [{ headers } = { headers: {} }] = calls;
  expect(headers).toMatchObject({ 'x-jwt-sub': 'ada', authorization: 'Bearer sk-first' });
  for (const name of ['x-team', 'content-length', 'x-gw-config']) expect(headers).not.toHaveProperty(name);
});

test('a check of the request that passes leaves the headers alone', async () => {
  const { ask, calls } = gateway({ inputChecks: [() => PASS] });
  await ask({ ...config, provider: '@first', forward_headers: ['x-team'] }, {}, undefined, { 'x-team': 'client' });
  expect(calls[0]?.headers).toMatchObject({ 'x-team': 'client' });
});

test('an answer that cannot be read is an error where a hook acts on it', async () => {
  const hook = { 'default.contains': { words: ['x'], operator: 'none' } };
  const outcome = (answers: readonly object[], output: readonly object[]) =>
    gateway({ answers }).ask({ ...config, provider: '@first', output_guardrails: output });
  const list = [[1, 2, 3]];
  expect((await outcome(list, [])).status).toBe(200);
  const { status, error } = await outcome(list, [hook]);
  expect([status, (error as AppError).code]).toEqual([502, 'UPSTREAM_INVALID_RESPONSE']);
});

test('log probabilities of a text that was changed are not sent', async () => {
  const answer = {
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'a secret' },
        logprobs: { content: [{ token: 'secret', logprob: -1 }] },
        finish_reason: 'stop',
      },
    ],
  };
  const hook = { 'default.regexReplace': { rule: 'secret', redactText: '[gone]' } };
  const { text, status } = await gateway({ answers: [answer] }).ask({
    ...config,
    provider: '@first',
    output_guardrails: [hook],
  });
  expect([status, text.includes('[gone]'), text.includes('secret')]).toEqual([200, true, false]);
});

const RESTORES = {
  ...config,
  provider: '@first',
  input_guardrails: [{ 'default.pii': { categories: ['EMAIL_ADDRESS'], redact: true, restore: true } }],
};
const says = (content: string) => ({ messages: [{ role: 'user', content }] });

test('the table of placeholders is held in memory until the request ends', async () => {
  const { ask, budget, end } = gateway({ answers: [chat('to [EMAIL_ADDRESS_1]')] });
  expect((await ask(RESTORES, says('ada@example.com'))).text).toContain('to ada@example.com');
  const before = budget.used;
  end();
  expect(before - budget.used).toBeGreaterThan('ada@example.com'.length);
});

test('a request whose table finds no room in memory is refused', async () => {
  const { ask, calls } = gateway({});
  const addresses = Array.from({ length: 9_000 }, (_, i) => `a${i}@b.co`).join(' ');
  const { error } = await ask(RESTORES, says(addresses));
  expect([(error as AppError).code, calls.length]).toEqual(['MEMORY_EXHAUSTED', 0]);
});
