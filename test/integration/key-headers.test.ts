/** Gateway keys in the headers of clients of Azure and Google, and what else such clients send there. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lastRequest, startWorld, type World } from '../kit/gateway.ts';
import { send } from '../kit/http.ts';
import { KEY } from '../kit/snapshot.ts';

const OTHER_CLIENTS = ['api-key', 'x-goog-api-key'] as const;
const FOREIGN = 'key-of-another-vendor-0123456789';
const BODY = { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] };
const CHAT = '/v1/chat/completions';
/** Proxied: the client's headers go along. */
const ECHO = '/v1/echo';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});

afterAll(() => world[Symbol.asyncDispose]());

const ask = (headers: Record<string, string>, path = CHAT) =>
  send(world.url + path, { headers: { 'x-gw-provider': '@openai', ...headers }, body: BODY });

describe.for(OTHER_CLIENTS)('%s', (header) => {
  test.for([CHAT, ECHO])('holds the gateway key, which stays at the gateway: %s', async (path) => {
    const answer = await ask({ [header]: KEY }, path);
    expect(answer.status).toBe(200);
    const { headers } = lastRequest(world.mock);
    expect(headers['authorization']).toBe('Bearer sk-openai-secret');
    expect(JSON.stringify(headers)).not.toContain(KEY);
  });

  test('that holds anything else is refused by its name, and its value is not repeated', async () => {
    const answer = await ask({ [header]: FOREIGN });
    expect([answer.status, answer.json()]).toMatchObject([401, { error: { param: header } }]);
    expect(answer.text).not.toContain(FOREIGN);
  });

  test.for([
    { rule: 'beside a stored credential', provider: '@openai' },
    { rule: "beside the caller's own credential", provider: 'openai' },
  ])(
    'is dropped when another header holds the key, also where it is forwarded by name: $rule',
    async ({ provider }) => {
      const own =
        provider === 'openai' ? { 'x-gw-custom-host': `${world.mock.url}/v1`, authorization: 'Bearer sk-own' } : {};
      for (const path of [CHAT, ECHO]) {
        const answer = await ask(
          {
            ...own,
            'x-gw-api-key': KEY,
            'x-gw-provider': provider,
            'x-gw-forward-headers': `${header}, x-mine`,
            'x-mine': 'm',
            [header]: FOREIGN,
          },
          path,
        );
        expect(answer.status, path).toBe(200);
        const { headers } = lastRequest(world.mock);
        expect(headers['x-mine'], path).toBe('m');
        expect(JSON.stringify(headers), path).not.toContain(FOREIGN);
      }
    },
  );
});

test('the one of both that holds a gateway key counts', async () => {
  const answer = await ask({ 'api-key': FOREIGN, 'x-goog-api-key': KEY });
  expect(answer.status).toBe(200);
  expect(JSON.stringify(lastRequest(world.mock).headers)).not.toContain(FOREIGN);
});

test('no value there is the credential of a provider that the caller names', async () => {
  const before = world.mock.requests.length;
  const headers = { 'x-gw-api-key': KEY, 'x-gw-provider': 'openai', 'x-gw-custom-host': `${world.mock.url}/v1` };
  await ask({ ...headers, 'api-key': FOREIGN, 'x-goog-api-key': FOREIGN });
  expect(JSON.stringify(world.mock.requests.slice(before).map((request) => request.headers))).not.toContain(FOREIGN);
});

test('logs hold no value of these headers', async () => {
  await ask({ 'x-gw-api-key': KEY, 'api-key': FOREIGN, 'x-goog-api-key': FOREIGN });
  expect(JSON.stringify(world.logs)).not.toContain(FOREIGN);
});
