/** Calls of the realtime API that open sessions which do not pass the gateway: docs/behaviour/realtime.md#what-is-refused. */
import { describe, expect, test } from 'vitest';
import { startWorld } from '../kit/gateway.ts';
import type { SendOptions } from '../kit/http.ts';
import { type Entries, guardrail, key, organisation, policy, provider, TEAM, workspace } from '../kit/snapshot.ts';

const SDP = 'v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n';
const OFFER = { 'content-type': 'application/sdp' };
const CALLS = '/v1/realtime/calls';
const SECRETS = '/v1/realtime/client_secrets';

describe('what could not hold for a session', () => {
  const CHECKS = [{ id: 'default.contains', parameters: { words: ['x'] } }];
  const cost = { name: 'main', type: 'cost', limit: 100 } as const;
  const usage = { name: 'per-model', type: 'tokens', limit: 1_000 } as const;
  const OPENING: readonly (readonly [path: string, options: SendOptions])[] = [
    [`${CALLS}?model=m`, { headers: OFFER, body: SDP }],
    [`${CALLS}/rtc_1/accept`, { body: { type: 'realtime', model: 'm' } }],
    [SECRETS, { body: { session: { model: 'm' } } }],
    ['/v1/realtime/sessions', { body: { model: 'm' } }],
    ['/v1/realtime/transcription_sessions?model=m', { body: {} }],
    ['/v1/realtime/translations/calls?model=m', { headers: OFFER, body: SDP }],
    ['/v1/realtime/translations/client_secrets', { body: { session: { model: 'm' } } }],
  ];

  test.for<[rule: string, named: string, ...Entries]>([
    [
      'a guardrail of the workspace',
      'Guardrails',
      guardrail('words', CHECKS),
      workspace(TEAM, { defaults: { inputGuardrails: ['words'] } }),
    ],
    [
      'a guardrail of the organisation',
      'Guardrails',
      guardrail('all', CHECKS, { workspace: null }),
      organisation({ outputGuardrails: ['all'] }),
    ],
    ['a budget of the key', 'budget of cost (key main)', key({ usageLimits: [cost] })],
    ['a budget of the workspace', 'budget of cost (workspace team-a)', workspace(TEAM, { usageLimits: [cost] })],
    [
      'a limit of tokens',
      'limit of tokens (API key main)',
      key({ rateLimits: [{ type: 'tokens', unit: 'rpd', value: 1_000 } as never] }),
    ],
    [
      'a policy for the model',
      'budget of tokens (policy per-model)',
      policy('UsageLimitPolicy:per-model', {
        conditions: [{ key: 'model', values: ['m'] }],
        groupBy: [{ key: 'model' }],
        usage,
      }),
    ],
  ])('refuses calls that open one: %s', async ([, named, ...entries]) => {
    await using held = await startWorld({ entries: () => entries });
    for (const [path, { headers, ...rest }] of OPENING) {
      const refused = await held.send(path, {
        method: 'POST',
        ...rest,
        headers: { 'x-gw-provider': '@openai', ...headers },
      });
      expect([refused.status, refused.json().error.code], refused.text).toEqual([403, 'session_not_seen']);
      expect(refused.json().error.message).toContain(named);
    }
    expect(held.mock.requests).toEqual([]);
    const ended = await held.send(`${CALLS}/rtc_1/reject`, { headers: { 'x-gw-provider': '@openai' }, body: {} });
    expect(ended.text).not.toContain('session_not_seen');
  });

  test.for<[rule: string, ...Entries]>([
    [
      'guardrails that only watch',
      guardrail('later', CHECKS, { async: true }),
      workspace(TEAM, { defaults: { inputGuardrails: ['later'] } }),
    ],
    ['a budget of requests', key({ usageLimits: [{ name: 'calls', type: 'requests', limit: 1 }] })],
    [
      'a policy for another model',
      policy('UsageLimitPolicy:per-model', {
        conditions: [{ key: 'model', values: ['other'] }],
        groupBy: [{ key: 'model' }],
        usage,
      }),
    ],
  ])('lets them pass under $0', async ([rule, ...entries]) => {
    await using held = await startWorld({ entries: () => entries });
    const ask = (path: string) => held.send(path, { headers: { 'x-gw-provider': '@openai', ...OFFER }, body: SDP });
    expect((await ask(`${CALLS}?model=m`)).status).toBe(201);
    if (rule === 'a budget of requests') expect((await ask(`${CALLS}?model=m`)).status).toBe(412);
    if (!rule.startsWith('a policy')) return;
    const unnamed = await ask(CALLS);
    expect([unnamed.status, unnamed.json().error.code]).toEqual([400, 'model_required']);
  });

  test.for([
    ...['/v1/realtime/client_secrets/', '/v1/realtime//client_secrets', '/v1/%72ealtime/client_secrets'],
    ...[
      '/v1/realtime/calls/../client_secrets',
      '/openai/v1/realtime/client_secrets',
      '/v1/realtime/client_secrets?x=1',
    ],
    ...['/v1/realtime/client%5Fsecrets', '/v1/realtime/client_secrets%2F', '/v1/Realtime/client_secrets'],
    ...[
      '/v1/proxy/realtime/client_secrets',
      '/v1/proxy/v1/realtime/client_secrets',
      '/v1/proxy/realtime/%63lient_secrets',
    ],
  ])('refuses them however the path is written: %s', async (path) => {
    await using held = await startWorld({
      entries: ({ url }) => [
        key({ usageLimits: [cost] }),
        provider('plain', { customHost: `${url}/v1`, secret: 'sk-plain-secret' }),
      ],
    });
    const answer = await held.send(path, { headers: { 'x-gw-provider': '@plain' }, body: { session: { model: 'm' } } });
    expect([400, 403, 404], answer.text).toContain(answer.status);
    expect(held.mock.requests).toEqual([]);
  });
});

describe('policies by model', () => {
  const tokens = { type: 'tokens', unit: 'rpd', value: 1_000 } as const;
  const requests = { type: 'requests', unit: 'rpd', value: 10 } as const;
  const ofModel = (model: string, rate: object, more: readonly object[] = []) =>
    policy('RateLimitPolicy:by-model', {
      conditions: [{ key: 'model', values: [model] }, ...more] as never,
      groupBy: [{ key: 'model' }],
      rate: rate as never,
    });
  const transcription = { type: 'transcription', audio: { input: { transcription: { model: 'whisper-1' } } } };
  const ask = async (entries: Entries, path: string, body: object) => {
    await using held = await startWorld({ entries: () => entries });
    const answer = await held.send(path, { method: 'POST', headers: { 'x-gw-provider': '@openai' }, body });
    const { error = {} } = answer.text.startsWith('{') ? answer.json() : {};
    return { status: answer.status, code: error.code, sent: held.mock.requests.at(-1)?.body.toString(), error };
  };

  test.for<[rule: string, path: string, body: object]>([
    ['of another model', SECRETS, { session: { model: 'b' } }],
    ['of no model', SECRETS, {}],
    ['of translations', '/v1/realtime/translations/client_secrets', { session: { model: 'b' } }],
    ['of a session', '/v1/realtime/sessions', { model: 'b' }],
    ['of transcriptions', '/v1/realtime/transcription_sessions', { input_audio_transcription: { model: 'b' } }],
    ['of transcriptions without one', '/v1/realtime/transcription_sessions', {}],
  ])('of tokens refuse a secret %s, whose reader chooses the model', async ([, path, body]) => {
    for (const model of ['a', '@openai/a', '@openai/*', '*']) {
      const { status, code, error } = await ask([ofModel(model, tokens)], path, body);
      expect([status, code]).toEqual([403, 'session_not_seen']);
      expect(error.message).toMatch(/limit of tokens \(rate limit policy by-model[ )]/);
    }
  });

  test('of cost refuse a secret of another model', async () => {
    const usage = { name: 'p', type: 'cost', limit: 1 } as never;
    const entry = policy('UsageLimitPolicy:p', {
      conditions: [{ key: 'model', excludes: ['b'] }],
      groupBy: [{ key: 'workspace_id' }],
      usage,
    });
    const { status, code } = await ask([entry], SECRETS, { session: { model: 'b' } });
    expect([status, code]).toEqual([403, 'session_not_seen']);
  });

  test('of tokens refuse a call of transcriptions, whose model changes on the way', async () => {
    const { status, code } = await ask([ofModel('a', tokens)], CALLS, { sdp: SDP, session: transcription });
    expect([status, code]).toEqual([403, 'session_not_seen']);
  });

  test.for<[rule: string, ...Entries]>([
    ['of models of other providers', ofModel('@anthropic/*', tokens)],
    ['for other keys', ofModel('a', tokens, [{ key: 'api_key', values: ['other'] }])],
    ['that leave out all models of the provider', ofModel('*', tokens, [{ key: 'model', excludes: ['@openai/*'] }])],
    ['for other operations', ofModel('a', tokens, [{ key: 'endpoint_type', values: ['chatComplete'] }])],
  ])('of tokens %s let a secret pass', async ([, ...entries]) => {
    expect(await ask(entries, SECRETS, { session: { model: 'b' } })).toMatchObject({ status: 200 });
  });

  test.for<[path: string, body: object, model: string | undefined]>([
    [SECRETS, { session: transcription }, 'whisper-1'],
    [SECRETS, { session: { type: 'transcription' } }, undefined],
    ['/v1/realtime/transcription_sessions', { input_audio_transcription: { model: 'whisper-1' } }, 'whisper-1'],
    ['/v1/realtime/transcription_sessions', {}, undefined],
    [CALLS, { sdp: SDP, session: transcription }, 'whisper-1'],
  ])('of requests count transcriptions by their model: %s %j', async ([path, body, model]) => {
    const other = await ask([ofModel('other', requests)], path, body);
    expect([200, 201], JSON.stringify(other.error)).toContain(other.status);
    if (path !== CALLS) expect(JSON.parse(other.sent ?? '')).toEqual(body);
    if (model === undefined) return;
    await using held = await startWorld({ entries: () => [ofModel(model, { ...requests, value: 1 })] });
    const again = () => held.send(path, { method: 'POST', headers: { 'x-gw-provider': '@openai' }, body });
    expect([200, 201]).toContain((await again()).status);
    expect((await again()).status).toBe(429);
  });

  test('of tokens of sessions hold for those that are opened elsewhere', async () => {
    const ofSessions = ofModel('b', tokens, [{ key: 'endpoint_type', values: ['realtime'] }]);
    const calls = [
      await ask([ofSessions], SECRETS, { session: { model: 'a' } }),
      await ask([ofSessions], CALLS, { sdp: SDP, session: { model: 'b' } }),
    ];
    expect(calls.map(({ code }) => code)).toEqual(['session_not_seen', 'session_not_seen']);
    expect(await ask([ofSessions], CALLS, { sdp: SDP, session: { model: 'a' } })).toMatchObject({ status: 201 });
  });

  test('of requests ask for the model of other sessions', async () => {
    const { status, code } = await ask([ofModel('a', requests)], SECRETS, {});
    expect([status, code]).toEqual([400, 'model_required']);
  });
});
