/** Budgets of every owner over sockets: docs/behaviour/limits.md. */
import type { EntryBody } from '@gatehouse/crds/snapshot';
import type { MockProvider } from '@gatehouse/standalone/mock-provider';
import { describe, expect, test } from 'vitest';
import { baseEntries } from '../kit/gateway.ts';
import { account, askModel as ask, startLimited as start } from '../kit/limited-world.ts';
import { type Entries, key, policy, TEAM, workspace } from '../kit/snapshot.ts';

type Budget = NonNullable<EntryBody<'workspace'>['usageLimits']>[number];
const tokens = (limit: number): Budget => ({ name: 'main', type: 'tokens', limit });
const requests = (limit: number): Budget => ({ name: 'calls', type: 'requests', limit });

describe('a budget without anything left answers 412', () => {
  test.for([
    {
      owner: 'key',
      entries: [key({ usageLimits: [tokens(1)] })],
      type: 'api_key_exhaust_error',
      text: 'API Key Usage Limit Exceeded: the API key main has used up its budget of 1 tokens',
    },
    {
      owner: 'workspace',
      entries: [workspace(TEAM, { usageLimits: [tokens(1)] })],
      type: 'workspace_exhaust_error',
      text: 'Workspace Usage Limit Exceeded: the workspace team-a has used up its budget of 1 tokens',
    },
  ])('of the $owner before the request is read', async ({ entries, type, text }) => {
    await using world = await start(() => entries);
    expect((await ask(world)).status).toBe(200);
    const denied = await world.send('/v1/chat/completions', { headers: { 'x-gw-config': '{oops' }, body: {} });
    const message = `Gateway Error: ${text}. Error Code: 04`;
    expect([denied.status, denied.json()]).toEqual([
      412,
      { status: 'failure', message, error: { message, type, param: null, code: '04' } },
    ]);
    expect((await world.send('/v1/files', { headers: { 'x-gw-provider': '@openai' } })).status).not.toBe(412);
  });

  test.for<{ owner: string; type: string; code: string; entries: (mock: MockProvider) => Entries; text: string }>([
    {
      owner: 'the provider',
      type: 'virtual_key_exhaust_error',
      code: '04',
      entries: (mock) => [account(mock, 'target', { usageLimits: [tokens(1)] })],
      text: 'The provider @target has used up its budget of 1 tokens',
    },
    {
      owner: 'the grant of the integration',
      type: 'integration_exhaust_error',
      code: '04',
      entries: (mock) => {
        const accesses = [{ name: 'for-all', workspace: '*', usageLimits: [tokens(1)] }];
        return [account(mock, 'target', { grants: ['*'], accesses }, null)];
      },
      text: 'The integration access for-all has used up its budget of 1 tokens',
    },
    {
      owner: 'a policy',
      type: 'usage_limits_policy_exhaust_error',
      code: '06',
      entries: (mock) => [
        account(mock, 'target', {}),
        policy('UsageLimitPolicy:per-account', {
          conditions: [{ key: 'virtual_key', values: ['target'] }],
          groupBy: [{ key: 'virtual_key' }],
          usage: { name: 'per-account', type: 'requests', limit: 1 },
        }),
      ],
      text: 'The usage limit policy per-account (virtual_key:team-a/target) has used up its budget of 1 requests',
    },
  ])('of $owner, from which a fallback moves on', async ({ type, code, entries, text }) => {
    await using world = await start(entries);
    expect((await ask(world, { model: '@target/mock-small' })).status).toBe(200);
    const denied = await ask(world, { model: '@target/mock-small' });
    expect([denied.status, denied.json()]).toEqual([412, { error: { message: text, type, param: null, code } }]);

    const targets = [{ provider: '@target' }, { provider: '@anthropic' }];
    const config = JSON.stringify({ strategy: { mode: 'fallback', on_status_codes: [412] }, targets });
    const moved = await ask(world, { model: 'mock-small', headers: { 'x-gw-config': config } });
    expect([moved.status, moved.headers['x-gw-provider']]).toEqual([200, 'anthropic']);
  });

  test.for<{ owner: string; type: string; entries: (mock: MockProvider) => Entries }>([
    {
      owner: 'a key',
      type: 'api_key_exhaust_error',
      entries: (mock) => [account(mock, 'target', {}), key({ usageLimits: [requests(2)] })],
    },
    {
      owner: 'a workspace',
      type: 'workspace_exhaust_error',
      entries: (mock) => [account(mock, 'target', {}), workspace(TEAM, { usageLimits: [requests(2)] })],
    },
    {
      owner: 'a provider',
      type: 'virtual_key_exhaust_error',
      entries: (mock) => [account(mock, 'target', { usageLimits: [requests(2)] })],
    },
    {
      owner: 'a grant',
      type: 'integration_exhaust_error',
      entries: (mock) => {
        const accesses = [{ name: 'for-all', workspace: '*', usageLimits: [requests(2)] }];
        return [account(mock, 'target', { grants: ['*'], accesses }, null)];
      },
    },
  ])('of requests of $owner: good answers count, errors and lists of files do not', async ({ type, entries }) => {
    await using world = await start(entries);
    const send = async (model = 'mock-small', body = {}) =>
      (await ask(world, { model: `@target/${model}`, body })).status;
    const list = async () => (await world.send('/v1/files', { headers: { 'x-gw-provider': '@target' } })).status;
    expect([await send('mock-fail-500'), await list()]).not.toContain(412);
    expect([await send(), await send('mock-small', { stream: true }), await send()]).toEqual([200, 200, 412]);
    expect((await ask(world, { model: '@target/mock-small' })).json()).toMatchObject({ error: { type } });
    expect(await list()).not.toBe(412);
  });

  test('before a full window answers 429', async () => {
    await using world = await start((mock) => [
      account(mock, 'target', {
        usageLimits: [tokens(1)],
        rateLimits: [{ type: 'requests', unit: 'rpd', value: 1 }],
      }),
    ]);
    const target = { model: '@target/mock-small' };
    expect([(await ask(world, target)).status, (await ask(world, target)).status]).toEqual([200, 412]);
  });
});

describe('a budget of money', () => {
  test('counts the price of what was used, also of streams whose clients did not ask for usage', async () => {
    const prices = { 'mock-small': { request: '1000000', response: '1000000' } };
    for (const stream of [false, true]) {
      await using world = await start((mock) => [
        account(mock, 'target', { prices, usageLimits: [{ name: 'm', type: 'cost', limit: 1_500_000_000 }] }),
      ]);
      const target = { model: '@target/mock-small', body: { stream } };
      const statuses = [];
      for (let i = 0; i < 3; i += 1) statuses.push((await ask(world, target)).status);
      expect([stream, statuses.at(0), statuses.at(-1)]).toEqual([stream, 200, 412]);
    }
  });

  test('counts an answer that a fallback leaves behind, for the provider may bill it', async () => {
    await using world = await start((mock) => [account(mock, 'target', { usageLimits: [tokens(10)] })]);
    const targets = [{ provider: '@target' }, { provider: '@anthropic' }];
    const config = JSON.stringify({ strategy: { mode: 'fallback', on_status_codes: [200] }, targets });
    const moved = await ask(world, {
      model: 'mock-small',
      headers: { 'x-gw-config': config },
      body: { max_tokens: 50 },
    });
    expect(moved.headers['x-gw-provider']).toBe('anthropic');
    expect((await ask(world, { model: '@target/mock-small' })).status).toBe(412);
  });

  test('takes nothing for errors, refused targets and answers of the cache', async () => {
    await using world = await start((mock) => [
      account(mock, 'target', {
        usageLimits: [{ name: 'calls', type: 'tokens', limit: 100_000 }],
        rateLimits: [{ type: 'requests', unit: 'rpd', value: 2 }],
      }),
      policy('UsageLimitPolicy:one', {
        conditions: [{ key: 'virtual_key', values: ['target'] }],
        groupBy: [{ key: 'organisation_id' }],
        usage: { name: 'one', type: 'requests', limit: 2 },
      }),
    ]);
    const config = JSON.stringify({ provider: '@target', cache: { mode: 'simple', max_age: 60 } });
    const send = (model: string) => ask(world, { model, headers: { 'x-gw-config': config } });
    expect((await send('mock-fail-500')).status).toBe(500);
    expect([(await send('mock-small')).status, (await send('mock-small')).headers['x-gw-cache-status']]).toEqual([
      200,
      'HIT',
    ]);
    expect((await send('mock-other')).status).toBe(429);
    await world.load(
      ...baseEntries(world.mock),
      account(world.mock, 'target', {}),
      policy('UsageLimitPolicy:one', {
        conditions: [{ key: 'virtual_key', values: ['target'] }],
        groupBy: [{ key: 'organisation_id' }],
        usage: { name: 'one', type: 'requests', limit: 2 },
      }),
    );
    expect([(await send('mock-other')).status, (await send('mock-third')).status]).toEqual([200, 412]);
  });
});
