/** Paths that mean one thing to the gateway and another to the provider behind it, and other small ways past a rule. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../../kit/gateway.ts';
import { sendBytes } from '../../kit/http.ts';
import { startRawUpstream } from '../../kit/raw-upstream.ts';
import { config, KEY, organisation, provider } from '../../kit/snapshot.ts';
import { waitFor } from '../../kit/wait-for.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({
    entries: ({ url }) => [
      provider('elsewhere', { customHost: `${url}/elsewhere`, proxyPaths: 'All' }),
      config('by-path', {
        strategy: {
          mode: 'conditional',
          // biome-ignore lint/suspicious/noThenProperty: the name in the contract
          conditions: [{ query: { 'url.pathname': { $eq: '/v1/chat/completions' } }, then: 'chat' }],
          default: 'rest',
        },
        targets: [
          { name: 'chat', provider: '@openai' },
          { name: 'rest', provider: '@elsewhere' },
        ],
      }),
    ],
  });
});
afterAll(() => world[Symbol.asyncDispose]());

/** The target as it is written; no client library would send all of these. */
async function ask(target: string, method = 'GET', headers = '', body = ''): Promise<string> {
  const head = `${method} ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-gw-api-key: ${KEY}\r\n`;
  const length = body === '' ? '' : `content-type: application/json\r\ncontent-length: ${body.length}\r\n`;
  return (await sendBytes(world.port, `${head}${headers}${length}\r\n${body}`)).toString();
}

describe('a request target', () => {
  test.for([
    ...[
      '/v1/files/../admin',
      '/v1/files/..%2fadmin',
      '/v1/files/..%5cadmin',
      '/v1/files/..;/admin',
      '/v1/x/.%2e/admin',
    ],
    ...[
      '/v1/files/%2e%2e/admin',
      '/v1/files/%252e%252e/admin',
      '/v1/files/x%2f..%2f..%2fadmin',
      '/v1/./files',
      '/v1/..',
    ],
    ...['/v1/files/\\..\\admin', '/v1/files/%5c..%5cadmin', '/v1/proxy/..%252f..%252fadmin', '/v1/%2e/files'],
    ...['http://elsewhere.example/v1/files', 'https://elsewhere.example/v1/files'],
  ])('%s is refused before anything is routed', async (target) => {
    const before = world.mock.requests.length;
    const answer = await ask(target, 'GET', 'x-gw-provider: @openai\r\n');
    expect(answer.split('\r\n', 1)[0]).toBe('HTTP/1.1 400 Bad Request');
    expect(world.mock.requests.length).toBe(before);
  });

  test.for(['/v1/ch%61t/completions', '/v1//chat/completions', '/v1/chat%2Fcompletions'])(
    '%s does not get past a condition on the path',
    async (target) => {
      const before = world.mock.requests.length;
      const body = JSON.stringify({ model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] });
      await ask(target, 'POST', 'x-gw-config: by-path\r\n', body);
      const paths = world.mock.requests.slice(before).map(({ path }) => path);
      // What is an escaped slash to us is one to the provider: such a path is no chat.
      const wanted = target.includes('%2F') ? '/elsewhere/chat%2Fcompletions' : '/v1/chat/completions';
      expect(paths).toEqual([wanted]);
    },
  );

  test('with a model that climbs is refused', async () => {
    for (const model of ['../x', 'a%2f..%2fb', 'a\\..\\b', '..;/x', '%252e%252e/x']) {
      const answer = await world.send('/v1/chat/completions', {
        headers: { 'x-gw-provider': 'huggingface', authorization: 'Bearer k' },
        body: { model, messages: [{ role: 'user', content: 'hi' }] },
      });
      expect([model, answer.status]).toEqual([model, 400]);
    }
  });
});

describe('the metrics', () => {
  test('count statuses that are none under one label', async () => {
    let status = 600;
    await using upstream = await startRawUpstream(async ({ request, answer }) => {
      await request.body;
      await answer(status, '{}', { 'content-type': 'application/json' });
    });
    await using other = await startWorld({
      entries: () => [provider('odd', { customHost: `${upstream.url}/v1` })],
    });
    for (status of [600, 777, 999]) {
      const answer = await other.send('/v1/chat/completions', {
        headers: { 'x-gw-provider': '@odd' },
        body: { model: 'm', messages: [] },
      });
      expect(answer.status).toBe(status);
    }
    await waitFor(async () => (await other.metric('gatehouse_requests_total')) === 3, {
      what: 'three counted requests',
    });
    expect(await other.metric('gatehouse_requests_total', { status: 'other' })).toBe(3);
    expect(await other.metric('gatehouse_requests_total', { status: '777' })).toBe(0);
  });
});

describe('saved-only mode', () => {
  test.for(['x-gw-azure-resource-name', 'x-gw-cloud-a-resource-name'])('knows the spelling %s', async (header) => {
    await using saved = await startWorld({ entries: () => [organisation({ savedConfigsOnly: true })] });
    const answer = await saved.send('/v1/chat/completions', {
      headers: { 'x-gw-provider': '@openai', [header]: 'theirs' },
      body: { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] },
    });
    expect(answer.status).toBe(400);
    expect(answer.json().error).toMatchObject({ code: 'inline_provider_url_blocked', param: header });
  });
});

describe('a content type', () => {
  test.for(['json', 'application', 'application/', '/json', 'application json', '{}'])(
    'that is malformed is called so: %s',
    async (type) => {
      for (const path of ['/v1/chat/completions', '/v1/files']) {
        const answer = await world.send(path, {
          method: 'POST',
          headers: { 'x-gw-provider': '@openai', 'content-type': type },
          body: '{"model":"mock-small","messages":[]}',
        });
        expect(answer.status).toBe(400);
        expect(answer.json().error).toMatchObject({ code: 'content_type_invalid', param: 'content-type' });
      }
    },
  );
});
