/** Guardrails of requests and answers over sockets: docs/behaviour/guardrails.md. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import type { EntryBody } from '@gatehouse/crds/snapshot';
import { describe, expect, test } from 'vitest';
import { lastRequest, startWorld, type World } from '../kit/gateway.ts';
import { guardrail, KEY, organisation, TEAM, workspace } from '../kit/snapshot.ts';

/** The mock answers with what the user says, so that both directions see the words of the request. */
const PROTOCOLS = [
  {
    path: '/v1/chat/completions',
    provider: 'openai',
    body: (text: string) => ({ messages: [{ role: 'user', content: text }] }),
    said: (answer: Answer) => answer.choices[0].message.content,
  },
  {
    path: '/v1/completions',
    provider: 'openai',
    body: (text: string) => ({ prompt: text }),
    said: (answer: Answer) => answer.choices[0].text,
  },
  {
    path: '/v1/messages',
    provider: 'anthropic',
    body: (text: string) => ({ max_tokens: 100, messages: [{ role: 'user', content: text }] }),
    said: (answer: Answer) => answer.content[0].text,
  },
  {
    path: '/v1/messages',
    provider: 'openai',
    body: (text: string) => ({ max_tokens: 100, messages: [{ role: 'user', content: text }] }),
    said: (answer: Answer) => answer.content[0].text,
  },
  {
    path: '/v1/responses',
    provider: 'openai',
    body: (text: string) => ({ input: text }),
    said: (answer: Answer) => answer.output.at(-1).content[0].text,
  },
  {
    path: '/v1/responses',
    provider: 'anthropic',
    body: (text: string) => ({ input: text }),
    said: (answer: Answer) => answer.output.at(-1).content[0].text,
  },
] as const;

// biome-ignore lint/suspicious/noExplicitAny: answers of four formats
type Answer = any;
type Protocol = (typeof PROTOCOLS)[number];
type Guardrail = Partial<EntryBody<'guardrail'>>;

const noSecret = (over: Guardrail = {}) =>
  guardrail('no-secret', [{ id: 'default.contains', parameters: { words: ['SECRET'], operator: 'none' } }], over);
const redact = (over: Guardrail = {}) =>
  guardrail('redact', [{ id: 'default.pii', parameters: { redact: true, restore: true } }], {
    deny: false,
    ...over,
  });

const start = (
  slugs: { input?: string[]; output?: string[] },
  ...guardrails: readonly ReturnType<typeof guardrail>[]
) =>
  startWorld({
    entries: () => [
      workspace(TEAM, { defaults: { inputGuardrails: slugs.input ?? [], outputGuardrails: slugs.output ?? [] } }),
      ...guardrails,
    ],
  });

interface Ask {
  readonly config?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

const ask = (world: World, protocol: Protocol, text: string, { config = {}, headers = {}, body = {} }: Ask = {}) => {
  const { provider } = protocol;
  return world.send(protocol.path, {
    headers: { 'x-gw-config': JSON.stringify({ provider: `@${provider}`, ...config }), ...headers },
    body: { model: 'mock-small', ...protocol.body(text), ...body },
  });
};
const NOT_STRICT = { 'x-gw-strict-open-ai-compliance': 'false' };

describe.for(PROTOCOLS)('$path of $provider', (protocol) => {
  test('denies a request without a call to the provider', async () => {
    await using world = await start({ input: ['no-secret'] }, noSecret());
    const denied = await ask(world, protocol, 'a SECRET');
    expect(denied.status).toBe(446);
    const { error, hook_results: results } = denied.json();
    expect(error.message).toContain('guardrail checks');
    expect(results).toMatchObject({
      before_request_hooks: [{ id: 'no-secret', verdict: false, deny: true, checks: [{ id: 'default.contains' }] }],
      after_request_hooks: [],
    });
    expect(world.mock.requests).toEqual([]);
    const passed = await ask(world, protocol, 'fine');
    expect([passed.status, 'hook_results' in passed.json()]).toEqual([200, false]);
  });

  test('withholds an answer', async () => {
    await using world = await start({ output: ['no-secret'] }, noSecret({ message: 'Not for you' }));
    const denied = await ask(world, protocol, 'a SECRET');
    expect(denied.status).toBe(446);
    expect(denied.json()).toMatchObject({
      error: { message: 'Not for you' },
      hook_results: { before_request_hooks: [], after_request_hooks: [{ id: 'no-secret', deny: true }] },
    });
    expect(denied.text).not.toContain('Mock answer');
  });

  test('marks an answer whose checks failed, strict or not', async () => {
    await using world = await start({ input: ['no-secret'], output: ['no-secret'] }, noSecret({ deny: false }));
    for (const headers of [{}, NOT_STRICT]) {
      const failed = await ask(world, protocol, 'a SECRET', { headers });
      expect(failed.status).toBe(246);
      expect(protocol.said(failed.json())).toContain('SECRET');
      const failing = [{ verdict: false, deny: false }];
      expect(failed.json().hook_results).toMatchObject({ before_request_hooks: failing, after_request_hooks: failing });
    }
  });

  test('has the results of checks that passed for clients that are not strict', async () => {
    await using world = await start({ input: ['no-secret'], output: ['no-secret'] }, noSecret());
    const passed = await ask(world, protocol, 'fine', { headers: NOT_STRICT });
    expect(passed.status).toBe(200);
    expect(passed.json().hook_results).toMatchObject({
      before_request_hooks: [{ verdict: true }],
      after_request_hooks: [{ verdict: true }],
    });
  });

  test('restores in the answer what was redacted in the request', async () => {
    await using world = await start({ input: ['redact'] }, redact());
    const { status, ...answer } = await ask(world, protocol, 'mail ada@example.com now');
    expect(status).toBe(200);
    expect(lastRequest(world.mock).body.toString()).not.toContain('ada@example.com');
    expect(protocol.said(answer.json())).toContain('ada@example.com');
  });
});

describe('hooks of the answer that a caller brings', () => {
  const everything = { 'default.regexMatch': { rule: '(?s)^.*' } };
  const mutating = { 'default.regexReplace': { rule: 'nothing', redactText: 'SECRET' } };
  const chat = PROTOCOLS[0];

  test.for(['true', 'false'])('get nothing of what a default withholds, strict: %s', async (strict) => {
    await using world = await start({ output: ['no-secret'] }, noSecret());
    const headers = { 'x-gw-strict-open-ai-compliance': strict };
    const denied = await ask(world, chat, 'a SECRET 4711', { headers, config: { output_guardrails: [everything] } });
    expect(denied.status).toBe(446);
    expect(denied.text).not.toContain('4711');
    expect(denied.json().hook_results.after_request_hooks).toMatchObject([{ id: 'no-secret' }]);
  });

  test.for([false, true])('show nothing of what a default replaces, in a held stream: %s', async (stream) => {
    await using world = await start({ output: ['redact'] }, redact({ buffer: true }));
    const config = { output_guardrails: [everything] };
    const mock = { 'x-mock-text': 'mail ada@example.com now' };
    const answer = await ask(world, chat, 'hi', {
      headers: { ...NOT_STRICT, ...mock },
      config: { ...config, forward_headers: ['x-mock-text'] },
      body: { stream },
    });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('[EMAIL_ADDRESS_1]');
    expect(answer.text).not.toContain('ada@example.com');
    expect(answer.text).toContain('"after_request_hooks":[{');
  });

  test('cannot put in what a default denies', async () => {
    await using world = await start({ output: ['no-secret'] }, noSecret());
    const { status } = await ask(world, chat, 'nothing', { config: { output_guardrails: [mutating] } });
    expect(status).toBe(446);
  });

  test('that call a service do not send what is withheld', async () => {
    const bodies: string[] = [];
    const service = createServer((request, response) => {
      textOf(request).then(
        (body) => {
          bodies.push(body);
          response.setHeader('content-type', 'application/json').end('{"verdict": true}');
        },
        () => request.destroy(),
      );
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    const { port } = service.address() as AddressInfo; // of a socket
    const webhook = { 'default.webhook': { webhookURL: `http://127.0.0.1:${port}/` } };
    await using world = await start({ output: ['no-secret', 'redact'] }, noSecret(), redact());
    const config = { output_guardrails: [webhook] };
    expect((await ask(world, chat, 'a SECRET', { config })).status).toBe(446);
    expect(bodies).toEqual([]);
    expect((await ask(world, chat, 'say hi', { config })).status).toBe(200);
    expect(bodies).toHaveLength(1);
    service.closeAllConnections();
    service.close();
  });
});

test('a change of the workspace carries no text past the organisation', async () => {
  const carrying = guardrail('carry', [
    { id: 'default.regexReplace', parameters: { rule: '/zz/g', redactText: 'SECRET' } },
  ]);
  await using world = await startWorld({
    entries: () => [
      organisation({ inputGuardrails: ['no-secret'] }),
      workspace(TEAM, { defaults: { inputGuardrails: ['carry'] } }),
      noSecret({ workspace: null }),
      carrying,
    ],
  });
  const chat = PROTOCOLS[0];
  expect((await ask(world, chat, 'fine')).status).toBe(200);
  expect((await ask(world, chat, 'a zz')).status).toBe(446);
});

test.for([
  { deny: true, status: 446, text: 'Guardrail Denied' },
  { deny: false, status: 246, text: 'Guardrail Failed' },
])('$status has a reason phrase', async ({ deny, status, text }) => {
  await using world = await start({ input: ['no-secret'] }, noSecret({ deny }));
  const answer = await fetch(`${world.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'x-gw-provider': '@openai' },
    body: JSON.stringify({ model: 'mock-small', messages: [{ role: 'user', content: 'a SECRET' }] }),
  });
  await answer.text();
  expect([answer.status, answer.statusText]).toEqual([status, text]);
});
