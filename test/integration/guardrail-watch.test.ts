/** Guardrails that run after the answer: asynchronous ones, and those in mode monitor. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EntryBody } from '@gatehouse/crds/snapshot';
import type { RequestRecord } from '@gatehouse/gateway';
import { describe, expect, test } from 'vitest';
import { startWorld } from '../kit/gateway.ts';
import { guardrail, TEAM, workspace } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

type Guardrail = Partial<EntryBody<'guardrail'>>;

const noSecret = (over: Guardrail) =>
  guardrail('no-secret', [{ id: 'default.contains', parameters: { words: ['SECRET'], operator: 'none' } }], over);

const watched: RequestRecord['decisions']['guardrails'][number][] = [];
const start = (...guardrails: readonly ReturnType<typeof guardrail>[]) => {
  watched.length = 0;
  const slugs = ['no-secret'];
  return startWorld({
    sinks: [{ name: 'test', record: () => {}, watched: ({ guardrails: ended }) => void watched.push(...ended) }],
    entries: () => [workspace(TEAM, { defaults: { inputGuardrails: slugs, outputGuardrails: slugs } }), ...guardrails],
  });
};
const request = (stream: boolean, text = 'SECRET') => ({
  headers: { 'x-gw-provider': '@openai', 'x-gw-strict-open-ai-compliance': 'false' },
  body: { model: 'mock-small', stream, messages: [{ role: 'user', content: text }] },
});

describe.for([false, true])('with stream: %s', (stream) => {
  test.for<{ over: Guardrail; denied: boolean }>([
    { over: { async: true, deny: true }, denied: false },
    { over: { mode: 'monitor', deny: true }, denied: true },
  ])('a guardrail changes nothing and is told of: %o', async ({ over, denied }) => {
    await using world = await start(noSecret(over));
    const answer = await world.send('/v1/chat/completions', request(stream));
    expect([answer.status, answer.text.includes('SECRET'), answer.text.includes('hook_results')]).toEqual([
      200,
      true,
      false,
    ]);
    await waitFor(() => watched.length === 2);
    expect(watched.map(({ phase }) => phase)).toEqual(['input', 'output']);
    for (const one of watched) expect(one).toMatchObject({ id: 'no-secret', verdict: false, denied });
  });
});

test('a service that is slow does not hold up the answer', async () => {
  const waiting: (() => void)[] = [];
  const service = createServer((_, response) => {
    waiting.push(() => response.setHeader('content-type', 'application/json').end('{"verdict": false}'));
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const { port } = service.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/check`;
  const slow = guardrail('no-secret', [{ id: 'default.webhook', parameters: { webhookURL: url, timeout: 10_000 } }], {
    async: true,
  });
  await using world = await start(slow);
  const answer = await world.send('/v1/chat/completions', request(false));
  expect([answer.status, watched.length]).toEqual([200, 0]);
  await waitFor(() => waiting.length === 1);
  waiting[0]?.();
  await waitFor(() => waiting.length === 2);
  waiting[1]?.();
  await waitFor(() => watched.length === 2);
  expect(watched.map(({ checks }) => checks.map(({ verdict }) => verdict))).toEqual([[false], [false]]);
  service.closeAllConnections();
  service.close();
});
