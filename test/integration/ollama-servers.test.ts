/** Servers of Ollama that answer in ways of their own. */
import type { RequestRecord } from '@gatehouse/gateway';
import { expect, test } from 'vitest';
import { startGateway } from '../kit/gateway.ts';
import { startRawUpstream } from '../kit/raw-upstream.ts';
import { config, key, provider, workspace } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const MODEL = '@ollama/mock-small';
const JSON_TYPE = { 'content-type': 'application/json' };
const messages = [{ role: 'user', content: 'Hello llama' }];
const linesOf = (text: string): readonly object[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

test('vectors that cannot be read are a failed attempt, and another provider answers', async () => {
  await using broken = await startRawUpstream(async ({ answer }) => {
    await answer(200, '{"embeddings":["x"],"prompt_eval_count":3}', JSON_TYPE);
  });
  await using good = await startRawUpstream(({ answer }) => answer(200, '{"embeddings":[[0.5,1]]}', JSON_TYPE));
  await using gateway = await startGateway({
    entries: [
      ...[workspace(), key(), provider('ollama', { provider: 'ollama', customHost: broken.url })],
      provider('other', { provider: 'ollama', customHost: good.url }),
      config('fallback', {
        strategy: { mode: 'fallback' },
        targets: [{ provider: '@ollama' }, { provider: '@other', override_params: { model: 'mock-small' } }],
      }),
    ],
  });
  const ask = (config: string) =>
    gateway.send('/api/embed', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gw-config': config },
      body: JSON.stringify({ model: 'm', input: 'a' }),
    });
  const alone = await ask('{"provider":"@ollama"}');
  expect([alone.status, alone.headers['x-gw-provider']], alone.text).toEqual([502, 'ollama']);
  const { status, json } = await ask('fallback');
  expect([status, json()]).toMatchObject([200, { embeddings: [[0.5, 1]] }]);
});

test.for([true, false])('tokens that the server did not count are estimated, streamed: %s', async (stream) => {
  const last = { message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop', prompt_eval_count: -3 };
  const said = { ...last, message: { role: 'assistant', content: 'Some text '.repeat(20) } };
  const text = stream ? `${JSON.stringify({ ...said, done: false })}\n${JSON.stringify(last)}\n` : JSON.stringify(said);
  const type = stream ? 'application/x-ndjson' : 'application/json';
  await using silent = await startRawUpstream(({ answer }) => answer(200, text, { 'content-type': type }));
  const own: RequestRecord[] = [];
  await using gateway = await startGateway({
    sinks: [{ name: 'test', record: (record) => void own.push(record) }],
    entries: [workspace(), key(), provider('ollama', { provider: 'ollama', customHost: silent.url })],
  });
  const answer = await gateway.send('/api/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, messages, stream }),
  });
  expect(answer.status, answer.text).toBe(200);
  expect(linesOf(answer.text).at(-1)).not.toHaveProperty('prompt_eval_count');
  const record = await waitFor(() => own[0]);
  const usage = record.attempts[0]?.usage;
  expect(usage?.input).toBeGreaterThan(0);
  expect(usage?.output).toBeGreaterThan(20);
});

test('a line that does not end ends the stream with an error', async () => {
  const piece = Buffer.alloc(1024 * 1024, 'a');
  await using endless = await startRawUpstream(async ({ answer }) => {
    const first = `${JSON.stringify({ message: { content: 'Hi' }, done: false })}\n{"message":{"content":"`;
    await answer(200, first + String(piece).repeat(9), { 'content-type': 'application/x-ndjson' });
  });
  await using gateway = await startGateway({
    entries: [workspace(), key(), provider('ollama', { provider: 'ollama', customHost: endless.url })],
  });
  const { text } = await gateway.send('/api/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, messages }),
  });
  expect(linesOf(text)).toMatchObject([{ message: { content: 'Hi' } }, { error: expect.any(String) }]);
  expect(text.length).toBeLessThan(1_000);
});
