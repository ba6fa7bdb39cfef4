/** Rate limits of every owner over sockets: docs/behaviour/limits.md. */
import type { EntryBody } from '@gatehouse/crds/snapshot';
import type { RequestRecord, Sink } from '@gatehouse/gateway';
import type { MockProvider } from '@gatehouse/standalone/mock-provider';
import { describe, expect, test } from 'vitest';
import { lastRequest, startWorld, type World } from '../kit/gateway.ts';
import { account, askModel as ask, startLimited as start } from '../kit/limited-world.ts';
import { startRawUpstream } from '../kit/raw-upstream.ts';
import { type Entries, KEY, key, policy, TEAM, workspace } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

type Limit = NonNullable<EntryBody<'workspace'>['rateLimits']>[number];
const perDay = (value: number, type: Limit['type'] = 'requests'): Limit => ({ type, unit: 'rpd', value });

const JSON_TYPE = { 'content-type': 'application/json' };

/** What the header says is left of a limit. */
function leftOf({ headers }: Awaited<ReturnType<typeof ask>>, name: string): number {
  const found = new RegExp(`"${name}";r=(\\d+);t=\\d+`).exec(String(headers['ratelimit']));
  return Number(found?.[1]);
}

describe('a full window answers 429', () => {
  test('of the key and of the workspace before the request is read', async () => {
    await using world = await start(() => [workspace(TEAM, { rateLimits: [perDay(1)] })]);
    const first = await ask(world);
    expect(first.status).toBe(200);
    expect(first.headers).toMatchObject({ 'ratelimit-policy': '"workspace-requests-rpd";q=1;w=86400' });
    expect(leftOf(first, 'workspace-requests-rpd')).toBe(0);
    const denied = await world.send('/v1/chat/completions', { headers: { 'x-gw-config': '{oops' }, body: {} });
    const message = 'Gateway Error: The workspace team-a exceeded its limit of 1 requests per day. Error Code: 05';
    expect([denied.status, denied.json()]).toEqual([
      429,
      { status: 'failure', message, error: { message, type: 'workspace_rate_limit_error', param: null, code: '05' } },
    ]);
    expect(Number(denied.headers['retry-after'])).toBeGreaterThan(0);
    expect(leftOf(denied, 'workspace-requests-rpd')).toBe(0);
  });

  test.for<{ owner: string; type: string; entries: (mock: MockProvider) => Entries; text: string }>([
    {
      owner: 'the provider',
      type: 'virtual_key_rate_limit_error',
      entries: (mock) => [account(mock, 'target', { rateLimits: [perDay(1)] })],
      text: 'The provider @target exceeded its limit of 1 requests per day',
    },
    {
      owner: 'the grant of the integration',
      type: 'integration_rate_limit_error',
      entries: (mock) => {
        const accesses = [
          { name: 'for-all', workspace: '*' },
          { name: 'for-team', workspace: TEAM, rateLimits: [perDay(1)] },
        ];
        return [account(mock, 'target', { grants: ['*'], accesses }, null)];
      },
      text: 'The integration access for-team exceeded its limit of 1 requests per day',
    },
    {
      owner: 'a policy',
      type: 'rate_limits_policy_exhaust_error',
      entries: (mock) => [
        account(mock, 'target', {}),
        policy('RateLimitPolicy:per-model', {
          conditions: [{ key: 'model', values: ['@openai/*'] }],
          groupBy: [{ key: 'model' }],
          rate: perDay(1),
        }),
      ],
      text: 'The rate limit policy per-model (model:openai.mock-small) exceeded its limit of 1 requests per day',
    },
  ])('of $owner, from which a fallback moves on', async ({ type, entries, text }) => {
    await using world = await start(entries);
    const target = { model: '@target/mock-small' };
    expect((await ask(world, target)).status).toBe(200);
    const denied = await ask(world, target);
    expect([denied.status, denied.json()]).toEqual([429, { error: { message: text, type, param: null, code: null } }]);
    expect(Number(denied.headers['retry-after'])).toBeGreaterThan(0);
    expect(world.mock.requests.filter(({ path }) => path.startsWith('/v1/chat'))).toHaveLength(1);

    const config = {
      strategy: { mode: 'fallback', on_status_codes: [429] },
      targets: [
        { provider: '@target', override_params: { model: 'mock-small' } },
        { provider: '@anthropic', override_params: { model: 'mock-other' } },
      ],
    };
    const moved = await ask(world, { model: 'mock-small', headers: { 'x-gw-config': JSON.stringify(config) } });
    expect([moved.status, moved.headers['x-gw-provider']]).toEqual([200, 'anthropic']);
  });

  test('in the format of the client', async () => {
    await using world = await start((mock) => [
      account(mock, 'target', { rateLimits: [perDay(1)], provider: 'anthropic' }),
    ]);
    const send = () =>
      world.send('/v1/messages', {
        body: { model: '@target/mock-small', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] },
      });
    expect((await send()).status).toBe(200);
    expect((await send()).json()).toMatchObject({ type: 'error', error: { type: 'rate_limit_error' } });
  });
});

describe('a policy', () => {
  test('counts each group by itself, and nothing that it does not apply to', async () => {
    await using world = await start(() => [
      policy('RateLimitPolicy:per-user', {
        conditions: [{ key: 'model', values: ['*'], excludes: ['@openai/mock-free'] }],
        groupBy: [{ key: 'metadata._user' }],
        rate: perDay(1),
      }),
    ]);
    const as = (user: string | undefined, model = '@openai/mock-small') =>
      ask(world, { model, headers: user === undefined ? {} : { 'x-gw-metadata': JSON.stringify({ _user: user }) } });
    const statuses = [];
    for (const [user, model] of [
      ['ada'],
      ['bob'],
      ['ada'],
      ['bob'],
      [undefined],
      ['ada', '@openai/mock-free'],
    ] as const) {
      statuses.push((await as(user, model)).status);
    }
    expect(statuses).toEqual([200, 200, 429, 429, 200, 200]);
  });

  test('sees the model of a form, wherever it stands', async () => {
    await using world = await start(() => [
      policy('RateLimitPolicy:per-model', {
        conditions: [{ key: 'model', values: ['@openai/whisper-1'] }],
        groupBy: [{ key: 'api_key' }],
        rate: perDay(1),
      }),
    ]);
    const field = (name: string, rest: string, content: string) =>
      `--edge\r\ncontent-disposition: form-data; name="${name}"${rest}\r\n\r\n${content}\r\n`;
    const [model, file] = [field('model', '', 'Whisper-1'), field('file', '; filename="a.wav"', 'x'.repeat(100_000))];
    const send = (...parts: string[]) =>
      world.send('/v1/audio/transcriptions', {
        headers: { 'x-gw-provider': '@openai', 'content-type': 'multipart/form-data; boundary=edge' },
        body: Buffer.from(`${parts.join('')}--edge--\r\n`),
      });
    const first = await send(model, file);
    expect([first.status, first.headers['x-gw-model']], first.text).toEqual([200, 'Whisper-1']);
    expect((await send(model, file)).status).toBe(429);
    expect((await send(file, model)).status).toBe(429);
    expect((await send(file, model.replace('Whisper-1', 'other'))).status).toBe(200);
    expect((await send(model, model, file)).json()).toMatchObject({ error: { param: 'model' } });
  });

  test('of the organisation counts all workspaces together', async () => {
    const other = 'gwk_test_other_0123456789abcdef0123456789';
    await using world = await start((mock) => [
      workspace('team-b'),
      key({ workspace: 'team-b', name: 'other', secret: other }),
      account(mock, 'openai', {}, 'team-b'),
      policy(
        'RateLimitPolicy:everybody',
        { conditions: [{ key: 'provider', values: ['openai'] }], groupBy: [{ key: 'provider' }], rate: perDay(1) },
        null,
      ),
    ]);
    expect((await ask(world)).status).toBe(200);
    expect((await ask(world, { headers: { 'x-gw-api-key': other } })).status).toBe(429);
  });
});

describe('a limit of tokens', () => {
  const limited = (limit: number) => start(() => [key({ rateLimits: [perDay(limit, 'tokens')] })]);
  const NAME = 'key-tokens-rpd';
  const probe = (world: World) => ask(world, { model: '@openai/mock-probe+fail-500' });

  test('refuses a target that is asked for more than is left, and counts what was used', async () => {
    await using world = await limited(1_000);
    const answer = await ask(world, { body: { max_tokens: 900 } });
    expect(leftOf(answer, NAME)).toBe(100);
    const used = Number(/"total_tokens":(\d+)/.exec(answer.text)?.[1]);
    const refused = await ask(world, { body: { max_tokens: 1_001 - used } });
    expect([refused.status, refused.json()]).toMatchObject([
      429,
      { error: { type: 'api_key_rate_limit_error', code: null } },
    ]);
    expect(refused.text).toContain(`the request asks for ${1_001 - used}`);
    expect(leftOf(refused, NAME)).toBe(1_000 - used);
    expect((await ask(world, { body: { max_tokens: 1_000 - used } })).status).toBe(200);
  });

  test('says of a call that no window admits what would be admitted, and not to come back', async () => {
    await using world = await limited(100);
    const refused = await ask(world, { body: { max_tokens: 101 } });
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, undefined]);
    expect(refused.text).toContain('ask for at most 100 output tokens');
  });

  test('takes the largest of several limits of output', async () => {
    await using world = await limited(100);
    const refused = await ask(world, { body: { max_tokens: 1, max_output_tokens: 101 } });
    expect([refused.status, refused.text]).toEqual([429, expect.stringContaining('the request asks for 101')]);
  });

  test('refuses everything once it is used up', async () => {
    await using world = await limited(1);
    expect((await ask(world)).status).toBe(200);
    const refused = await ask(world);
    expect([refused.status, refused.json()]).toMatchObject([429, { error: { code: '05' } }]);
  });

  test('takes nothing for an answer that is an error, and for a provider that gives none', async () => {
    await using world = await limited(1_000);
    expect((await ask(world, { model: '@openai/mock-fail-500', body: { max_tokens: 100 } })).status).toBe(500);
    const broken = { provider: 'openai', api_key: 'x', custom_host: 'http://127.0.0.1:1/v1' };
    await ask(world, { headers: { 'x-gw-config': JSON.stringify(broken) }, body: { max_tokens: 100 } });
    expect(leftOf(await probe(world), NAME)).toBe(999);
  });

  test('counts what was reserved, and the request, of a call that the gateway ends', async () => {
    await using world = await limited(1_000);
    const slow = { model: '@openai/mock-delay-30000', body: { max_tokens: 100 } };
    expect((await ask(world, { ...slow, headers: { 'x-gw-request-timeout': '500' } })).status).toBe(408);
    const left = leftOf(await probe(world), NAME);
    expect(left).toBeLessThan(899);
    expect(left).toBeGreaterThan(800);
  });

  test('counts what was reserved of a good answer that nobody can use, and nothing of a bad one', async () => {
    await using world = await limited(10_000);
    let status = 200;
    await using upstream = await startRawUpstream((reply) => reply.answer(status, '{"choices": [', JSON_TYPE));
    const own = { provider: 'anthropic', api_key: 'x', custom_host: `${upstream.url}/v1` };
    const call = { headers: { 'x-gw-config': JSON.stringify(own) }, body: { max_tokens: 1_000 } };
    expect((await ask(world, call)).json()).toMatchObject({ error: { type: 'upstream_invalid_response' } });
    const left = leftOf(await probe(world), NAME);
    expect(left).toBeLessThan(8_999);
    expect(left).toBeGreaterThan(8_900);
    status = 503;
    expect((await ask(world, call)).status).toBe(503);
    expect(leftOf(await probe(world), NAME)).toBe(left);
  });

  test('asks for the usage of a stream, counts it, and hides it from a client that did not ask', async () => {
    await using world = await limited(1_000);
    const streamed = await ask(world, { body: { stream: true } });
    expect(streamed.text).not.toContain('"usage":{');
    expect(lastRequest(world.mock).json()).toMatchObject({ stream_options: { include_usage: true } });
    const asked = await ask(world, { body: { stream: true, stream_options: { include_usage: true } } });
    const used = Number(/"total_tokens":(\d+)/.exec(asked.text)?.[1]);
    expect(used).toBeGreaterThan(1);
    expect(leftOf(await probe(world), NAME)).toBe(999 - 2 * used);
  });

  test('counts what was sent of a stream whose client leaves', async () => {
    await using world = await limited(100_000);
    const abort = new AbortController();
    const text = 'word '.repeat(400);
    const response = await fetch(`${world.url}/v1/chat/completions`, {
      method: 'POST',
      signal: abort.signal,
      headers: { 'content-type': 'application/json', 'x-gw-api-key': KEY },
      body: JSON.stringify({
        model: '@openai/mock-stall-1500',
        stream: true,
        messages: [{ role: 'user', content: text }],
      }),
    });
    const reader = response.body?.getReader();
    await reader?.read();
    abort.abort();
    let left = Number.NaN;
    await waitFor(
      async () => {
        left = leftOf(await probe(world), NAME);
        return left < 99_900;
      },
      { what: 'the tokens of the cut stream are counted' },
    );
    expect(left).toBeGreaterThan(90_000);
  });
});

describe('limits of a target', () => {
  test('are not asked where the cache has the answer', async () => {
    await using world = await start((mock) => [account(mock, 'target', { rateLimits: [perDay(1)] })]);
    const config = JSON.stringify({ provider: '@target', cache: { mode: 'simple', max_age: 60 } });
    const cached = () => ask(world, { model: 'mock-small', headers: { 'x-gw-config': config } });
    expect([(await cached()).headers['x-gw-cache-status'], (await cached()).headers['x-gw-cache-status']]).toEqual([
      'MISS',
      'HIT',
    ]);
  });

  test('hold for polls, which cost key and workspace nothing', async () => {
    await using world = await start((mock) => [
      key({ rateLimits: [perDay(1)] }),
      account(mock, 'target', { rateLimits: [perDay(2)], proxyPaths: 'All' }),
    ]);
    const poll = () => world.send('/v1/files', { headers: { 'x-gw-provider': '@target' } });
    expect((await ask(world)).status).toBe(200);
    expect((await ask(world)).status).toBe(429);
    const statuses = [(await poll()).status, (await poll()).status];
    expect(statuses).not.toContain(429);
    const refused = await poll();
    expect([refused.status, refused.json()]).toMatchObject([429, { error: { type: 'virtual_key_rate_limit_error' } }]);
  });

  test('hold for proxied calls', async () => {
    await using world = await start((mock) => [
      account(mock, 'target', { rateLimits: [perDay(1)], proxyPaths: 'All' }),
    ]);
    const proxied = () => world.send('/v1/anything', { headers: { 'x-gw-provider': '@target' }, body: {} });
    expect((await proxied()).status).not.toBe(429);
    expect((await proxied()).status).toBe(429);
  });
});

test('the record of a request says what each limit decided', async () => {
  const records: RequestRecord[] = [];
  const sink: Sink = { name: 'test', record: (record) => void records.push(record) };
  await using world = await startWorld({
    sinks: [sink],
    entries: (mock) => [key({ rateLimits: [perDay(5)] }), account(mock, 'target', { rateLimits: [perDay(1)] })],
  });
  for (let i = 0; i < 2; i += 1) await ask(world, { model: '@target/mock-small' });
  await waitFor(() => records.length === 2, { what: 'both records' });
  expect(
    records.map(({ decisions }) => decisions.limits.verdicts().map(({ id, passed }) => `${id} ${passed}`)),
  ).toEqual([
    ['key/team-a/main requests rpd true', 'provider/team-a/target requests rpd true'],
    ['key/team-a/main requests rpd true', 'provider/team-a/target requests rpd false'],
  ]);
});
