/** Strategies, conditions and parameter shaping over sockets: docs/behaviour/routing.md. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lastRequest, startGateway, startWorld, type World } from '../kit/gateway.ts';
import { config, key, provider, workspace } from '../kit/snapshot.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld({
    entries: ({ url }) => [
      provider('second', { customHost: `${url}/v1`, secret: 'sk-second' }),
      config('sticky', {
        strategy: {
          mode: 'loadbalance',
          sticky: { enabled: true, hash_fields: ['metadata._user', 'headers.x-session', 'params.user'], ttl: 60 },
        },
        targets: [
          { provider: '@openai', override_params: { seed: 0 } },
          { provider: '@openai', override_params: { seed: 1 } },
          { provider: '@second', override_params: { seed: 2 } },
        ],
      }),
      config('breaker', {
        strategy: { mode: 'fallback', cb_config: { failure_threshold: 2, cooldown_interval: 30_000 } },
        targets: [{ provider: '@openai', override_params: { model: 'mock-fail-503' } }, { provider: '@second' }],
      }),
      config('all-broken', {
        strategy: { mode: 'fallback', cb_config: { failure_threshold: 1, cooldown_interval: 30_000 } },
        targets: [
          { provider: '@openai', override_params: { model: 'mock-fail-500' } },
          { provider: '@second', override_params: { model: 'mock-fail-503' } },
        ],
      }),
    ],
  });
});

afterAll(() => world[Symbol.asyncDispose]());

const fails = (status: number) => ({ provider: '@openai', override_params: { model: `mock-fail-${status}` } });
const works = { provider: '@second' };

const chat = (document: object | string, more: { headers?: Record<string, string>; body?: object } = {}) =>
  world.send('/v1/chat/completions', {
    headers: { 'x-gw-config': typeof document === 'string' ? document : JSON.stringify(document), ...more.headers },
    body: { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }], ...more.body },
  });

describe('a fallback', () => {
  test.for<{ rule: string; codes?: number[]; targets: object[]; status: number; index: number }>([
    { rule: 'stays at the first that works', targets: [works, fails(500)], status: 200, index: 0 },
    { rule: 'goes on at any status but 2xx', targets: [fails(400), works], status: 200, index: 1 },
    { rule: 'goes on at a listed status', codes: [429, 503], targets: [fails(503), works], status: 200, index: 1 },
    { rule: 'stops at a status that is not listed', codes: [429], targets: [fails(500), works], status: 500, index: 0 },
    { rule: 'answers with the last failure', targets: [fails(500), fails(503)], status: 503, index: 1 },
    {
      rule: 'goes on past a target whose host is down',
      targets: [{ provider: 'openai', api_key: 'x', custom_host: 'http://127.0.0.1:1/v1' }, works],
      status: 200,
      index: 1,
    },
    {
      rule: 'goes on past an operation that is not offered, when its status is listed',
      codes: [400],
      targets: [{ provider: 'jina', api_key: 'x' }, works],
      status: 200,
      index: 1,
    },
    {
      rule: 'stops at an operation that the provider does not offer',
      targets: [{ provider: 'jina', api_key: 'x' }, works],
      status: 400,
      index: 0,
    },
  ])('$rule', async ({ codes, targets, status, index }) => {
    const on = codes === undefined ? {} : { on_status_codes: codes };
    const answer = await chat({ strategy: { mode: 'fallback', ...on }, targets });
    expect(answer.status, answer.text).toBe(status);
    expect(answer.headers['x-gw-last-used-option-index']).toBe(`config.targets[${index}]`);
  });

  test('keeps the body of the client for every target', async () => {
    const body = { messages: [{ role: 'user', content: 'exactly this, ünïcödé' }] };
    await chat({ strategy: { mode: 'fallback' }, targets: [fails(500), works] }, { body });
    const [first, second] = world.mock.requests.slice(-2);
    expect(first?.json()).toMatchObject({ ...body, model: 'mock-fail-500' });
    expect(second?.json()).toMatchObject({ ...body, model: 'mock-small' });
  });

  test('nests: the inner chain decides before the outer one goes on', async () => {
    const answer = await chat({
      strategy: { mode: 'fallback', on_status_codes: [503] },
      targets: [
        { strategy: { mode: 'fallback' }, targets: [fails(500), fails(503)] },
        {
          strategy: { mode: 'loadbalance' },
          targets: [
            { ...works, weight: 1 },
            { ...fails(500), weight: 0 },
          ],
        },
      ],
    });
    expect(answer.status).toBe(200);
    expect(answer.headers['x-gw-last-used-option-index']).toBe('config.targets[1].targets[0]');
  });
});

describe('a load balancer', () => {
  test('splits by weight and never draws weight 0', async () => {
    const document = {
      strategy: { mode: 'loadbalance' },
      targets: [
        { provider: '@openai', weight: 3 },
        { provider: '@openai', weight: 0 },
        { provider: '@second', weight: 1 },
      ],
    };
    const answers = await Promise.all(Array.from({ length: 80 }, () => chat(document)));
    const indexes = new Set(answers.map(({ headers }) => headers['x-gw-last-used-option-index']));
    expect([...indexes].sort()).toEqual(['config.targets[0]', 'config.targets[2]']); // missed once in 10^10 runs
  });

  test('keeps a session on its target, by metadata, header and parameter', async () => {
    const ask = async (session: number) => {
      const headers = { 'x-gw-metadata': JSON.stringify({ _user: `u${session}` }), 'x-session': `s${session % 3}` };
      await chat('sticky', { headers, body: { user: `p${session}` } });
      return (lastRequest(world.mock).json() as { seed: number }).seed;
    };
    const first: number[] = [];
    for (let session = 0; session < 20; session += 1) first.push(await ask(session));
    const again: number[] = [];
    for (let session = 0; session < 20; session += 1) again.push(await ask(session));
    expect(again).toEqual(first);
    expect(new Set(first).size).toBeGreaterThan(1);
  });
});

describe('conditions', () => {
  const when = (query: object, then: string) => ({ query, then });
  const byPlan = {
    strategy: {
      mode: 'conditional',
      conditions: [
        when({ 'metadata.plan': { $in: ['paid', 'trial'] }, 'params.stream': { $ne: true } }, 'good'),
        when({ 'params.model': { $regex: '^mock-l' } }, 'large'),
        when({ 'url.pathname': '/v1/completions' }, 'text'),
      ],
      default: 'plain',
    },
    targets: [
      { name: 'plain', provider: '@second' },
      { name: 'good', provider: '@openai' },
      { name: 'large', provider: '@openai' },
      { name: 'text', provider: '@openai' },
    ],
  };
  const { default: _, ...withoutDefault } = byPlan.strategy;

  test.for<{ rule: string; metadata?: object; body?: object; path?: string; index: number }>([
    { rule: 'metadata', metadata: { plan: 'paid' }, index: 1 },
    { rule: 'all entries of a query', metadata: { plan: 'paid' }, body: { stream: true }, index: 0 },
    { rule: 'a pattern', body: { model: 'mock-large' }, index: 2 },
    { rule: 'the path', path: '/v1/completions', index: 3 },
    { rule: 'the default', metadata: { plan: 'free' }, index: 0 },
  ])('choose by $rule', async ({ metadata = {}, body = {}, path = '/v1/chat/completions', index }) => {
    const answer = await world.send(path, {
      headers: { 'x-gw-config': JSON.stringify(byPlan), 'x-gw-metadata': JSON.stringify(metadata) },
      body: { model: 'mock-small', prompt: 'hi', messages: [{ role: 'user', content: 'hi' }], ...body },
    });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers['x-gw-last-used-option-index']).toBe(`config.targets[${index}]`);
  });

  test('that do not match, without a default, are 400', async () => {
    const answer = await chat({ ...byPlan, strategy: withoutDefault });
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ status: 'failure', error: { code: 'condition_unmatched' } });
  });

  test('that name a target which does not exist are refused with the config', async () => {
    const answer = await chat({ ...byPlan, strategy: { ...byPlan.strategy, default: 'nobody' } });
    expect(answer.json()).toMatchObject({ error: { code: 'config_invalid' } });
  });
});

describe('a circuit breaker', () => {
  const indexes = async (slug: string, count: number) => {
    const seen: unknown[] = [];
    for (let i = 0; i < count; i += 1) seen.push((await chat(slug)).headers['x-gw-last-used-option-index']);
    return seen;
  };
  const modelsSince = (start: number) =>
    world.mock.requests.slice(start).map((request) => (request.json() as { model: string }).model);

  test('leaves a target alone once its threshold is reached', async () => {
    const before = world.mock.requests.length;
    expect(await indexes('breaker', 5)).toEqual(Array.from({ length: 5 }, () => 'config.targets[1]'));
    const tried = modelsSince(before).filter((model) => model === 'mock-fail-503');
    expect(tried).toHaveLength(2);
  });

  test('is bypassed when every target is open', async () => {
    const before = world.mock.requests.length;
    const answers = [await chat('all-broken'), await chat('all-broken')];
    expect(answers.map(({ status }) => status)).toEqual([503, 503]);
    expect(modelsSince(before)).toEqual(['mock-fail-500', 'mock-fail-503', 'mock-fail-500', 'mock-fail-503']);
  });
});

describe('parameters', () => {
  test.for<{ rule: string; document: object; body?: object; want: object }>([
    {
      rule: 'defaults fill, overrides win, drops come last',
      document: {
        provider: '@openai',
        default_params: { temperature: 0.1, top_p: 0.2 },
        override_params: { seed: 7 },
        drop_params: ['user', 'metadata.secret', 'messages[*].name'],
      },
      body: {
        temperature: 0.9,
        seed: 1,
        user: 'u',
        metadata: { secret: 's', public: 'p' },
        messages: [{ role: 'user', content: 'hi', name: 'ada' }],
      },
      want: {
        model: 'mock-small',
        temperature: 0.9,
        top_p: 0.2,
        seed: 7,
        metadata: { public: 'p' },
        messages: [{ role: 'user', content: 'hi' }],
      },
    },
    {
      rule: 'a child adds to its parent',
      document: {
        strategy: { mode: 'single' },
        override_params: { seed: 1, top_p: 0.5 },
        targets: [{ provider: '@openai', override_params: { seed: 2 } }],
      },
      want: { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }], seed: 2, top_p: 0.5 },
    },
    {
      rule: 'a model override with a slug leaves the model',
      document: { strategy: { mode: 'single' }, targets: [{ override_params: { model: '@second/mock-large' } }] },
      want: { model: 'mock-large', messages: [{ role: 'user', content: 'hi' }] },
    },
  ])('$rule', async ({ document, body, want }) => {
    expect((await chat(document, body === undefined ? {} : { body })).status).toBe(200);
    expect(lastRequest(world.mock).json()).toEqual(want);
  });

  test('that nothing changes go on byte for byte', async () => {
    const body = '{ "messages" : [{"role":"user","content":"h\\u00e9"}],\n"model":"mock-small", "zeta": 1.50 }';
    await world.send('/v1/chat/completions', {
      headers: { 'x-gw-provider': '@openai', 'content-type': 'application/json' },
      body,
    });
    expect(lastRequest(world.mock).body.toString()).toBe(body);
  });
});

describe('key limits', () => {
  test('answer 429 with Retry-After and are checked before anything else is resolved', async () => {
    await using limited = await startGateway({
      entries: [workspace(), key({ rateLimits: [{ type: 'requests', unit: 'rpd', value: 2 }] })],
    });
    const ask = () => limited.send('/v1/chat/completions', { headers: { 'x-gw-config': '{oops' }, body: {} });
    expect([(await ask()).status, (await ask()).status]).toEqual([400, 400]);
    const denied = await ask();
    expect(denied.status).toBe(429);
    expect(denied.json()).toMatchObject({ status: 'failure', error: { code: '05', type: 'api_key_rate_limit_error' } });
    expect(Number(denied.headers['retry-after'])).toBeGreaterThan(0);
  });
});
