/** Guardrails whose services are slow, broken or away, and clients that leave meanwhile. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EntryBody } from '@gatehouse/crds/snapshot';
import { describe, expect, test } from 'vitest';
import { expectNothingLeft, startWorld } from '../kit/gateway.ts';
import { open } from '../kit/http.ts';
import { guardrail, KEY, TEAM, workspace } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

type Guardrail = Partial<EntryBody<'guardrail'>>;

interface Service extends AsyncDisposable {
  readonly url: string;
  /** Calls that have come, and have not been answered unless `answer` does. */
  readonly calls: ServerResponse[];
  /** Calls whose connection was closed before an answer. */
  closed: number;
}

async function startService(answer?: (response: ServerResponse) => void): Promise<Service> {
  const server = createServer((request, response) => {
    service.calls.push(response);
    response.on('close', () => {
      if (!response.writableEnded) service.closed += 1;
    });
    request.resume();
    answer?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const service: Service = {
    url: `http://127.0.0.1:${port}/check`,
    calls: [],
    closed: 0,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return service;
}

const asking = (
  url: string,
  parameters: object,
  { failOnError = false, ...over }: Guardrail & { failOnError?: boolean } = {},
) =>
  guardrail('service', [{ id: 'default.webhook', parameters: { webhookURL: url, ...parameters }, failOnError }], over);

const start = (phases: { input?: true; output?: true }, ...guardrails: readonly ReturnType<typeof guardrail>[]) =>
  startWorld({
    entries: () => [
      workspace(TEAM, {
        defaults: {
          inputGuardrails: phases.input ? ['service'] : [],
          outputGuardrails: phases.output ? ['service'] : [],
        },
      }),
      ...guardrails,
    ],
  });

const REQUEST = {
  headers: { 'x-gw-provider': '@openai' },
  body: { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] },
};
const CHAT = '/v1/chat/completions';
const json = (response: ServerResponse, body: string, status = 200): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(body);

describe.for([{ input: true as const }, { output: true as const }])('a service that is asked on %o', (phases) => {
  test.for<[rule: string, answer: (response: ServerResponse) => void]>([
    ['answers 500', (response) => json(response, '{}', 500)],
    ['answers no JSON', (response) => json(response, '<html>')],
    ['ends the connection', (response) => void response.socket?.destroy()],
    ['does not answer in its time', () => {}],
  ])('and %s lets pass, or denies with failOnError', async ([, answer]) => {
    await using service = await startService(answer);
    const parameters = { timeout: 100 };
    await using world = await start(phases, asking(service.url, parameters));
    expect((await world.send(CHAT, REQUEST)).status).toBe(200);
    await using closed = await start(phases, asking(service.url, parameters, { failOnError: true }));
    const denied = await closed.send(CHAT, REQUEST);
    expect(denied.status).toBe(446);
    expect(JSON.stringify(denied.json().hook_results)).toContain('"error":{"name"');
  });

  test('and denies does so', async () => {
    await using service = await startService((response) => json(response, '{"verdict": false}'));
    await using world = await start(phases, asking(service.url, {}));
    expect((await world.send(CHAT, REQUEST)).status).toBe(446);
  });

  test('is let go when the client leaves, and nothing is left of the request', async () => {
    await using service = await startService();
    await using world = await start(phases, asking(service.url, { timeout: 60_000 }));
    const opened = open(world.url + CHAT, {
      ...REQUEST,
      headers: { ...REQUEST.headers, 'x-gw-api-key': KEY },
    }).catch(() => undefined);
    const leave = new AbortController();
    const raw = fetch(world.url + CHAT, {
      method: 'POST',
      headers: { ...REQUEST.headers, 'x-gw-api-key': KEY, 'content-type': 'application/json' },
      body: JSON.stringify(REQUEST.body),
      signal: leave.signal,
    }).catch(() => undefined);
    await waitFor(() => service.calls.length === 2);
    leave.abort();
    await raw;
    await waitFor(() => service.closed === 1);
    for (const response of service.calls) if (!response.closed) json(response, '{"verdict": true}');
    (await opened)?.response.resume();
    await expectNothingLeft(world);
  });
});

test('the request timeout covers the hooks of the answer', async () => {
  await using service = await startService();
  await using world = await start({ output: true }, asking(service.url, { timeout: 60_000 }));
  const headers = { ...REQUEST.headers, 'x-gw-request-timeout': '1000' };
  expect((await world.send(CHAT, { ...REQUEST, headers })).status).toBe(408);
  await waitFor(() => service.closed === 1);
});

test('other requests go on while a service is silent', async () => {
  await using service = await startService();
  await using world = await start({ input: true }, asking(service.url, { timeout: 60_000 }));
  const slow = Array.from({ length: 50 }, () => world.send(CHAT, REQUEST));
  await waitFor(() => service.calls.length === 50);
  const headers = { 'x-gw-provider': '@openai' };
  expect((await world.send('/v1/models', { headers })).status).toBe(200);
  for (const response of service.calls) json(response, '{"verdict": true}');
  expect((await Promise.all(slow)).map(({ status }) => status)).toEqual(slow.map(() => 200));
});

test('a changed answer of a service is what the client gets, and its usage is that of the provider', async () => {
  const changed = { choices: [{ index: 0, message: { role: 'assistant', content: 'Other' }, finish_reason: 'stop' }] };
  await using service = await startService((response) =>
    json(response, JSON.stringify({ verdict: true, transformedData: { response: { json: changed } } })),
  );
  await using world = await start({ output: true }, asking(service.url, {}, { deny: false }));
  const headers = { ...REQUEST.headers, 'x-gw-usage-headers': 'true' };
  const answer = await world.send(CHAT, { ...REQUEST, headers });
  expect(answer.json().choices[0].message.content).toBe('Other');
  expect(Number(answer.headers['x-gw-usage-output-tokens'])).toBeGreaterThan(0);
  await waitFor(async () => (await world.metric('gatehouse_buffered_bytes')) === 0);
});
