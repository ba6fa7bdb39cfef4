import { setImmediate } from 'node:timers/promises';
import { fakeRequest, KEY, key, provider, waitFor, workspace } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { createMemoryLimiter } from '../limits/index.ts';
import { type AccountModelsOptions, createAccountModels } from './account-models.ts';
import { gateway } from './attempt/testing.ts';
import type { Exchange } from './exchange.ts';
import type { ResolvedRequest } from './operations/index.ts';
import { callerOf, limitPorts, viewOf } from './testing.ts';

const LISTS_ACCOUNTS = 'gwk_lists_the_accounts_and_nothing_else';
const world = await viewOf(
  workspace(),
  key(),
  key({ name: 'accounts', secret: LISTS_ACCOUNTS, scopes: ['virtual_keys.list'] }),
  provider('open'),
  provider('closed', { models: ['m1'] }),
  provider('without-list', { provider: 'voyage' }),
);
const account = (slug: string) => {
  const record = world.provider('team-a', slug);
  if (record === undefined) throw new Error(`no provider ${slug}`);
  return record;
};
const open = account('open');

const requestWith = (secret: string): ResolvedRequest => {
  const request = fakeRequest({ headers: { 'x-gw-api-key': secret } });
  return {
    exchange: {
      ...{ request, snapshot: world, startedMs: 0 },
      trace: { traceId: 't', spanId: undefined, parentSpanId: undefined, spanName: undefined },
    } as Exchange, // only these members are used
    caller: callerOf(request, world),
  } as ResolvedRequest; // as above
};
const REQUEST = requestWith(KEY);

const listOf = (...ids: readonly unknown[]) => ({ object: 'list', data: ids.map((id) => ({ id })) });

/** Lists of a provider that answers with the bodies in turn, in a time that the test moves. */
function setup(answers: readonly (object | string)[], over: Partial<AccountModelsOptions['attempts']> = {}) {
  const { ports, calls, budget } = gateway({ answers, snapshotView: world });
  let nowMs = 0;
  const models = createAccountModels({ attempts: { ...ports, ...over }, now: () => nowMs });
  const read = async (request = REQUEST) => {
    await models.prepare([open], request);
    return models.of(open);
  };
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { models, calls, budget, read, pass };
}
const MINUTE_MS = 60_000;

test('are listed once for all who ask, and kept', async () => {
  const { models, calls, budget, read } = setup([listOf('m1', 'm2')]);
  expect(models.of(open)).toEqual([]);
  expect(await Promise.all([read(), read()])).toEqual([
    ['m1', 'm2'],
    ['m1', 'm2'],
  ]);
  expect(models.prepare([open], REQUEST)).toBeUndefined();
  expect(calls.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /v1/models']);
  expect(budget.used).toBe(0);
});

test('are brought up to date behind a request that does not wait', async () => {
  const { models, calls, read, pass } = setup([listOf('m1'), listOf('m1', 'm2')]);
  await read();
  pass(5 * MINUTE_MS);
  expect(models.prepare([open], REQUEST)).toBeUndefined();
  expect(models.of(open)).toEqual(['m1']);
  await waitFor(() => models.of(open).length === 2, { what: 'the second list' });
  expect(calls).toHaveLength(2);
});

test('stay when the provider gives no list, and it is asked again a minute later', async () => {
  const { calls, read, pass } = setup([listOf('m1'), { error: 'away' }, listOf('m2')]);
  await read();
  pass(5 * MINUTE_MS);
  await read();
  await waitFor(() => calls.length === 2, { what: 'the second call' });
  expect(await read()).toEqual(['m1']);
  pass(MINUTE_MS);
  await waitFor(async () => (await read())[0] === 'm2', { what: 'the third list' });
  expect(calls).toHaveLength(3);
});

test('are tried again after a fault of the gateway itself', async () => {
  const { ports } = gateway({ answers: [], snapshotView: world });
  let faults = 1;
  const openMemory = () => {
    faults -= 1;
    if (faults >= 0) throw new Error('no memory');
    return ports.guardrails.openMemory();
  };
  const { read, pass } = setup([listOf('m1')], { guardrails: { ...ports.guardrails, openMemory } });
  expect(await read()).toEqual([]);
  pass(MINUTE_MS);
  await waitFor(async () => (await read())[0] === 'm1', { what: 'the list' });
});

test('are asked for by the next caller where limits refuse the first one', async () => {
  const limited = await viewOf(
    workspace(),
    key(),
    provider('open', { rateLimits: [{ type: 'requests', unit: 'rpd', value: 1 }] }),
  );
  const [narrow] = limited.providers('team-a');
  if (narrow === undefined) throw new Error('no provider');
  const limiter = createMemoryLimiter();
  const now = () => Date.UTC(2026, 0, 1);
  const { ports, calls } = gateway({ answers: [listOf('m1')], snapshotView: limited });
  const models = createAccountModels({ attempts: { ...ports, ...limitPorts({ limiter, now }) }, now });
  const first = createAccountModels({ attempts: { ...ports, ...limitPorts({ limiter, now }) }, now });
  await first.prepare([narrow], REQUEST); // takes the one request of the minute
  await models.prepare([narrow], REQUEST);
  expect([models.of(narrow), calls.length]).toEqual([[], 1]);
  expect(models.prepare([narrow], REQUEST)).toBeInstanceOf(Promise); // it is tried at once
});

test('cause no call for those who may not call providers, and are shown to them', async () => {
  const { calls, read } = setup([listOf('m1')]);
  expect(await read(requestWith(LISTS_ACCOUNTS))).toEqual([]);
  expect(calls).toHaveLength(0);
  await read();
  expect(await read(requestWith(LISTS_ACCOUNTS))).toEqual(['m1']);
});

test('are not asked for where the account has its own list, or its provider none', () => {
  const { models, calls } = setup([listOf('m1')]);
  expect(models.prepare([account('closed'), account('without-list')], REQUEST)).toBeUndefined();
  expect(calls).toHaveLength(0);
});

test('are names, each once, and at most two thousand', async () => {
  const many = Array.from({ length: 3_000 }, (_, i) => `m${i}`);
  const { read } = setup([listOf('', 7, null, 'x'.repeat(257), 'm0', ...many)]);
  expect(await read()).toEqual(many.slice(0, 2_000));
});

test('are not waited for longer than a few seconds', async () => {
  const client: AccountModelsOptions['attempts']['client'] = {
    send: () => new Promise(() => {}),
    close: async () => {},
  };
  const { read } = setup([], { client });
  expect(await read()).toEqual([]);
});

test('of one workspace are asked for four at once', async () => {
  const names = Array.from({ length: 9 }, (_, i) => `open-${i}`);
  const many = await viewOf(workspace(), key(), ...names.map((name) => provider(name)));
  let [atOnce, most] = [0, 0];
  const client: AccountModelsOptions['attempts']['client'] = {
    send: async () => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await setImmediate();
      atOnce -= 1;
      throw new Error('away');
    },
    close: async () => {},
  };
  const { models } = setup([], { client });
  const accounts = many.providers('team-a');
  await models.prepare(accounts, REQUEST);
  expect([accounts.length, most]).toEqual([9, 4]);
});
