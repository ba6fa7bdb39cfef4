/** Who may list which models, and what the catalogue shows. docs/behaviour/requests.md#scopes */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import { config, key, provider } from '../kit/snapshot.ts';

let world: World;

const ACCOUNTS = 'gwk_lists_the_accounts_and_nothing_else';
const MODELS = 'gwk_lists_models_and_nothing_else';
const DEFAULTED = 'gwk_lists_the_accounts_with_a_config';

beforeAll(async () => {
  world = await startWorld({
    entries: ({ url }) => [
      key({ name: 'accounts', secret: ACCOUNTS, scopes: ['virtual_keys.list'] }),
      key({ name: 'models', secret: MODELS, scopes: ['models:list'] }),
      key({ name: 'defaulted', secret: DEFAULTED, scopes: ['virtual_keys.list'], config: 'to-openai' }),
      config('to-openai', { provider: '@openai' }),
      ...provider('named', {
        customHost: `${url}/v1`,
        models: ['gpt-4o', 'gpt-4o-mini'],
        modelNames: { 'gpt-4o': 'GPT-4o, for all teams' },
      }),
      ...provider('open', { customHost: `${url}/v1`, modelNames: { 'ft:x': 'Our own' } }),
    ],
  });
});

afterAll(() => world[Symbol.asyncDispose]());

const list = (secret: string, headers: Record<string, string> = {}) =>
  world.send('/v1/models', { headers: { 'x-gw-api-key': secret, ...headers } });
const via = { 'x-gw-provider': '@openai' };
const catalogue = { 'x-gw-fetch-integrated-models': 'true' };

describe('the scope virtual_keys.list alone', () => {
  test('lists the models of the accounts', async () => {
    const answer = await list(ACCOUNTS);
    expect(answer.status).toBe(200);
    expect(answer.json().data.map(({ id }: { id: string }) => id)).toContain('@named/gpt-4o');
  });

  test.for([
    { rule: 'for a provider that the request names', secret: ACCOUNTS, headers: via },
    { rule: 'for a provider that the default config names', secret: DEFAULTED, headers: {} },
  ])('opens no call to a provider: $rule', async ({ secret, headers }) => {
    const before = world.mock.requests.length;
    const answer = await list(secret, headers);
    expect(answer.status).toBe(403);
    expect(answer.json().error).toMatchObject({
      code: '033',
      message: expect.stringMatching(/models\.list or completions\.write.*x-gw-fetch-integrated-models/),
    });
    expect(world.mock.requests).toHaveLength(before);
    expect((await list(secret, { ...headers, ...catalogue })).status).toBe(200);
  });
});

test('the catalogue is asked for by account, sorted, and page by page', async () => {
  const query = (text: string) => world.send(`/v1/models?${text}`, { headers: { 'x-gw-api-key': ACCOUNTS } });
  const shown = await query('provider=named&sort=name&order=desc&limit=1&offset=1');
  expect(shown.json()).toMatchObject({ total: 2, data: [{ id: '@named/gpt-4o' }] });
  const refused = await query('limit=none');
  expect([refused.status, refused.json().error.param]).toEqual([400, 'limit']);
});

test('the scope models.list lists the models of a provider, and calls no other operation', async () => {
  expect((await list(MODELS, via)).json()).toMatchObject({ object: 'list', data: expect.any(Array) });
  expect(world.mock.requests.at(-1)).toMatchObject({ path: '/v1/models' });
  const chat = await world.send('/v1/chat/completions', { headers: { ...via, 'x-gw-api-key': MODELS }, body: {} });
  expect(chat.status).toBe(403);
});

test('models have the names that their account gives them', async () => {
  const { data } = (await list(ACCOUNTS)).json();
  const byId = new Map(data.map((entry: { id: string }) => [entry.id, entry]));
  expect(byId.get('@named/gpt-4o')).toMatchObject({ display_name: 'GPT-4o, for all teams' });
  expect(byId.get('@named/gpt-4o-mini')).not.toHaveProperty('display_name');
  expect(byId.get('@open/ft:x')).toMatchObject({ display_name: 'Our own' });
});

describe('an account without a list of its own', () => {
  test('has the models that its provider lists, and the names that it has for its own', async () => {
    const ids = async (secret: string): Promise<string[]> =>
      (await list(secret, catalogue)).json().data.map(({ id }: { id: string }) => id);
    const mine = (await ids(MODELS)).filter((id) => id.startsWith('@open/'));
    const offered = (await list(MODELS, via)).json().data.map(({ id }: { id: string }) => `@open/${id}`);
    expect(mine).toEqual(['@open/ft:x', ...offered]);
    const before = world.mock.requests.length;
    expect((await ids(ACCOUNTS)).filter((id) => id.startsWith('@open/'))).toEqual(mine);
    expect(world.mock.requests).toHaveLength(before);
  });
});
