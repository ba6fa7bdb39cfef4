/** Guardrails that the config of a request brings: hooks per target, headers of tokens, what no check may see. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { lastRequest, startWorld, type World } from '../kit/gateway.ts';
import { guardrail, KEY, organisation, TEAM, workspace } from '../kit/snapshot.ts';

const CHAT = '/v1/chat/completions';
const NO_SECRET = { 'default.contains': { words: ['SECRET'], operator: 'none' }, deny: true };

const ask = (world: World, config: object, text = 'hi', headers: Readonly<Record<string, string>> = {}) =>
  world.send(CHAT, {
    headers: { 'x-gw-config': JSON.stringify(config), ...headers },
    body: { model: 'mock-small', messages: [{ role: 'user', content: text }] },
  });

describe('hooks of a target', () => {
  const targets = [
    { provider: '@openai', override_params: { model: 'mock-small' } },
    { provider: '@openai', override_params: { model: 'mock-large' }, input_guardrails: [] },
  ];

  test('replace those of the root', async () => {
    await using world = await startWorld();
    const config = { strategy: { mode: 'fallback' }, input_guardrails: [NO_SECRET], targets };
    const passed = await ask(world, config, 'SECRET');
    expect([passed.status, passed.json().model, world.mock.requests.length]).toEqual([200, 'mock-large', 1]);
  });

  test('do not replace those that apply by default', async () => {
    const always = guardrail(
      'always',
      [{ id: 'default.contains', parameters: { words: ['SECRET'], operator: 'none' } }],
      { workspace: null },
    );
    await using world = await startWorld({ entries: () => [organisation({ inputGuardrails: ['always'] }), always] });
    const config = { strategy: { mode: 'fallback' }, input_guardrails: [], targets };
    expect((await ask(world, config, 'SECRET')).status).toBe(446);
  });

  test('cannot hide a text from those that apply by default by changing it', async () => {
    const always = guardrail('always', [
      { id: 'default.contains', parameters: { words: ['SECRET'], operator: 'none' } },
    ]);
    await using world = await startWorld({
      entries: () => [workspace(TEAM, { defaults: { inputGuardrails: ['always'] } }), always],
    });
    const adds = { 'default.regexReplace': { rule: 'x', redactText: 'SECRET' } };
    expect((await ask(world, { provider: '@openai', input_guardrails: [adds] }, 'x')).status).toBe(446);
  });

  test('change the request one after another where they are sequential', async () => {
    await using world = await startWorld();
    const hook = {
      'default.regexReplace': { rule: 'a', redactText: 'b' },
      'default.regexReplace.2': { id: 'default.regexReplace', rule: 'b', redactText: 'c' },
      sequential: true,
    };
    await ask(world, { provider: '@openai', input_guardrails: [hook] }, 'a');
    expect(JSON.parse(lastRequest(world.mock).body.toString()).messages).toEqual([{ role: 'user', content: 'c' }]);
  });
});

test('a denial in a retry of a fallback keeps the results of its own target', async () => {
  await using world = await startWorld();
  const targets = ['first', 'second'].map((id) => ({
    provider: '@openai',
    input_guardrails: [{ ...NO_SECRET, id }],
  }));
  const denied = await ask(world, { strategy: { mode: 'fallback' }, targets }, 'SECRET');
  expect([denied.status, denied.json().hook_results.before_request_hooks.map(({ id }: { id: string }) => id)]).toEqual([
    446,
    ['second'],
  ]);
});

test('a service gets neither the gateway key nor the config of the request', async () => {
  const seen: string[] = [];
  const service = createServer((request, response) => {
    seen.push(JSON.stringify(request.headers));
    textOf(request).then(
      (body) => {
        seen.push(body);
        response.setHeader('content-type', 'application/json').end('{"verdict": true}');
      },
      () => request.destroy(),
    );
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const { port } = service.address() as AddressInfo;
  await using world = await startWorld();
  const url = `http://127.0.0.1:${port}/`;
  const checks = [
    { 'default.webhook': { webhookURL: url, headers: { 'x-own': 'inline-credential' }, forwardHeaders: ['x-team'] } },
    { 'default.log': { logURL: url } },
  ];
  const answer = await ask(world, { provider: '@openai', input_guardrails: checks }, 'hi', {
    'x-team': 'blue',
    'x-other': `Bearer ${KEY}`,
  });
  expect(answer.status).toBe(200);
  const all = seen.join('\n');
  expect(all).toContain('"x-team":"blue"');
  expect(all).not.toContain(KEY);
  expect(all).not.toContain('input_guardrails');
  expect(all.split('inline-credential')).toHaveLength(2); // where it belongs
  service.closeAllConnections();
  service.close();
});

test('a pattern of a client does not use up the work of those that apply by default', async () => {
  const always = guardrail('always', [{ id: 'default.regexMatch', parameters: { rule: 'SECRET', not: true } }]);
  await using world = await startWorld({
    entries: () => [workspace(TEAM, { defaults: { inputGuardrails: ['always'] } }), always],
  });
  const costly = Array.from({ length: 20 }, (_, i) => ({
    'default.regexMatch': { rule: `(x+x+)+y{1,${i + 1}}(a|b|c|d)*[^z]{20}$` },
  }));
  const text = `${'x'.repeat(200_000)} SECRET`;
  expect((await ask(world, { provider: '@openai', input_guardrails: costly }, text)).status).toBe(446);
});
