/** Guardrails with strategies, retries, the cache and the cost of answers that are withheld, over sockets. */
import type { EntryBody } from '@gatehouse/crds/snapshot';
import type { RequestRecord } from '@gatehouse/gateway';
import { describe, expect, test } from 'vitest';
import { baseEntries, startWorld, type World } from '../kit/gateway.ts';
import { guardrail, price, provider, TEAM, workspace } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

type Guardrail = Partial<EntryBody<'guardrail'>>;

const noSecret = (over: Guardrail = {}) =>
  guardrail('no-secret', [{ id: 'default.contains', parameters: { words: ['SECRET'], operator: 'none' } }], over);
/** Fails where the model is not the large one. */
const onlyLarge = (over: Guardrail = {}) =>
  guardrail('only-large', [{ id: 'default.modelWhitelist', parameters: { models: ['mock-large'] } }], over);
const redact = guardrail('redact', [{ id: 'default.pii', parameters: { redact: true, restore: true } }], {
  deny: false,
});

interface Slugs {
  readonly input?: readonly string[];
  readonly output?: readonly string[];
}

/** Of the gateway that was started last. */
let records: RequestRecord[] = [];

const start = ({ input = [], output = [] }: Slugs, ...guardrails: readonly ReturnType<typeof guardrail>[]) => {
  const own: RequestRecord[] = []; // late records of the gateway before do not count
  records = own;
  return startWorld({
    sinks: [{ name: 'test', readsUsage: true, record: (record) => void own.push(record) }],
    entries: (mock) => [
      workspace(TEAM, { defaults: { inputGuardrails: [...input], outputGuardrails: [...output] } }),
      ...guardrails,
      price('mock-small', { usdPerMillionTokens: { request: '1', response: '1' } }),
      price('mock-large', { usdPerMillionTokens: { request: '1', response: '1' } }),
      ...provider('limited', {
        customHost: `${mock.url}/v1`,
        usageLimits: [{ name: 'main', type: 'tokens', limit: 1 }],
      }),
    ],
  });
};

const SMALL = { provider: '@openai', override_params: { model: 'mock-small' } };
const LARGE = { provider: '@openai', override_params: { model: 'mock-large' } };

const ask = (world: World, text: string, config: object = SMALL, headers: Readonly<Record<string, string>> = {}) =>
  world.send('/v1/chat/completions', {
    headers: { 'x-gw-config': JSON.stringify(config), ...headers },
    body: { model: 'mock-small', messages: [{ role: 'user', content: text }] },
  });
const said = (answer: { json(): { choices: [{ message: { content: string } }] } }): string =>
  answer.json().choices[0].message.content;

describe('a denied request', () => {
  test.for([
    { rule: 'goes to the next target', codes: undefined, status: 200, calls: 1 },
    { rule: 'goes to the next target whose codes say so', codes: [446], status: 200, calls: 1 },
    { rule: 'stays denied where they do not', codes: [500], status: 446, calls: 0 },
  ])('of a fallback $rule', async ({ codes, status, calls }) => {
    await using world = await start({ input: ['only-large'] }, onlyLarge());
    const strategy = { mode: 'fallback', ...(codes === undefined ? {} : { on_status_codes: codes }) };
    const answer = await ask(world, 'hi', { strategy, targets: [SMALL, LARGE] });
    expect([answer.status, world.mock.requests.length]).toEqual([status, calls]);
  });

  test('is not tried again', async () => {
    await using world = await start({ input: ['no-secret'] }, noSecret());
    const answer = await ask(world, 'SECRET', { ...SMALL, retry: { attempts: 3, on_status_codes: [446] } });
    expect([answer.status, answer.headers['x-gw-retry-attempt-count'], world.mock.requests.length]).toEqual([
      446,
      '0',
      0,
    ]);
  });

  test.for([
    { mode: 'loadbalance', config: { strategy: { mode: 'loadbalance' }, targets: [{ ...SMALL, weight: 1 }] } },
    {
      mode: 'conditional',
      config: {
        strategy: {
          mode: 'conditional',
          // biome-ignore lint/suspicious/noThenProperty: the name is the wire contract
          conditions: [{ query: { 'metadata.a': { $eq: 'b' } }, then: 'small' }],
          default: 'small',
        },
        targets: [{ ...SMALL, name: 'small' }],
      },
    },
  ])('is denied with the strategy $mode', async ({ config }) => {
    await using world = await start({ input: ['no-secret'] }, noSecret());
    expect((await ask(world, 'SECRET', config)).status).toBe(446);
    expect((await ask(world, 'fine', config)).status).toBe(200);
  });
});

describe('an answer', () => {
  test.for([
    { what: 'that is withheld', deny: true, code: 446 },
    { what: 'whose checks failed', deny: false, code: 246 },
  ])('$what is tried again where its status is listed', async ({ deny, code }) => {
    await using world = await start({ output: ['no-secret'] }, noSecret({ deny }));
    const retried = await ask(world, 'SECRET', { ...SMALL, retry: { attempts: 1, on_status_codes: [code] } });
    expect([retried.status, world.mock.requests.length]).toEqual([code, 2]);
    expect(retried.json().hook_results.after_request_hooks).toHaveLength(1);
    expect((await ask(world, 'SECRET', { ...SMALL, retry: { attempts: 1 } })).status).toBe(code);
    expect(world.mock.requests).toHaveLength(3);
  });

  test.for([
    { what: 'that is withheld goes on', deny: true, codes: undefined, calls: 2, status: 446 },
    { what: 'whose checks failed stays', deny: false, codes: undefined, calls: 1, status: 246 },
    { what: 'whose checks failed goes on where 246 is listed', deny: false, codes: [246], calls: 2, status: 246 },
  ])('$what in a fallback', async ({ deny, codes, calls, status }) => {
    await using world = await start({ output: ['no-secret'] }, noSecret({ deny }));
    const strategy = { mode: 'fallback', ...(codes === undefined ? {} : { on_status_codes: codes }) };
    const answer = await ask(world, 'SECRET', { strategy, targets: [SMALL, LARGE] });
    expect([answer.status, world.mock.requests.length]).toEqual([status, calls]);
    await waitFor(() => records.length === 1);
    const [record] = records;
    expect(record?.attempts.map(({ cost }) => (cost?.nanoDollars ?? 0) > 0)).toEqual(record?.attempts.map(() => true));
    expect(record?.decisions.guardrails).toHaveLength(calls);
  });

  test('that is withheld is charged, and counts against budgets', async () => {
    await using world = await start({ output: ['no-secret'] }, noSecret());
    const config = { provider: '@limited', override_params: { model: 'mock-small' } };
    const headers = { 'x-gw-usage-headers': 'true' };
    const denied = await ask(world, 'SECRET', config, headers);
    expect([denied.status, Number(denied.headers['x-gw-cost-usd']) > 0]).toEqual([446, true]);
    expect((await ask(world, 'fine', config)).status).toBe(412);
    await waitFor(() => records.length === 2);
    expect(records[0]?.answeredBy?.usage?.output).toBeGreaterThan(0);
  });

  test('is charged for all its tries', async () => {
    await using world = await start({ output: ['no-secret'] }, noSecret());
    await ask(world, 'SECRET');
    await ask(world, 'SECRET', { ...SMALL, retry: { attempts: 2, on_status_codes: [446] } });
    await waitFor(() => records.length === 2);
    const [once, thrice] = records.map(({ answeredBy }) => answeredBy?.usage?.total ?? 0);
    expect(thrice).toBe((once ?? 0) * 3);
  });
});

describe('with the cache', () => {
  const CACHED = { ...SMALL, cache: { mode: 'simple' } };

  test('requests are checked before a stored answer is given', async () => {
    await using world = await start({ input: ['only-large'] }, onlyLarge({ deny: false }));
    const LARGE_CACHED = { ...LARGE, cache: { mode: 'simple' } };
    expect((await ask(world, 'hi', CACHED)).status).toBe(246);
    expect((await ask(world, 'hi', CACHED)).headers['x-gw-cache-status']).toBe('MISS'); // what failed is not stored
    expect((await ask(world, 'hi', LARGE_CACHED)).status).toBe(200);
    const hit = await ask(world, 'hi', LARGE_CACHED, { 'x-gw-strict-open-ai-compliance': 'false' });
    expect(hit.headers['x-gw-cache-status']).toBe('MISS'); // other fields are allowed
    const again = await ask(world, 'hi', LARGE_CACHED, { 'x-gw-strict-open-ai-compliance': 'false' });
    expect([again.status, again.headers['x-gw-cache-status']]).toEqual([200, 'HIT']);
    expect(again.json().hook_results).toMatchObject({ before_request_hooks: [{ verdict: true }] });
    expect(again.json().hook_results).not.toHaveProperty('after_request_hooks');
  });

  test('answers are not shared with callers whose guardrails are others', async () => {
    await using world = await start({}, noSecret());
    expect((await ask(world, 'SECRET', CACHED)).status).toBe(200);
    expect((await ask(world, 'SECRET', CACHED)).headers['x-gw-cache-status']).toBe('HIT');
    await world.load(baseEntries(world.mock), [
      workspace(TEAM, { defaults: { outputGuardrails: ['no-secret'] } }),
      noSecret(),
    ]);
    const checked = await ask(world, 'SECRET', CACHED);
    expect([checked.status, checked.headers['x-gw-cache-status']]).toEqual([446, 'MISS']);
  });

  test('each caller gets its own data back', async () => {
    await using world = await start({ input: ['redact'] }, redact);
    const ada = await ask(world, 'mail ada@example.com', CACHED);
    const bob = await ask(world, 'mail bob@example.com', CACHED);
    expect([ada.headers['x-gw-cache-status'], bob.headers['x-gw-cache-status']]).toEqual(['MISS', 'HIT']);
    expect([said(ada), said(bob)]).toEqual([
      'Mock answer to: mail ada@example.com',
      'Mock answer to: mail bob@example.com',
    ]);
  });
});
