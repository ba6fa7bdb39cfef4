/** A sidecar passes on to its fleet what needs credentials of the organisation: two gateways, TLS between them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTokenIssuer, ISSUER, type TokenIssuer } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../kit/free-port.ts';
import { lastRequest, type RunningGateway, startGateway, startWorld, type World } from '../kit/gateway.ts';
import { eventsOf, open, type Received, type SendOptions, send } from '../kit/http.ts';
import { startOtlpReceiver } from '../kit/otlp-receiver.ts';
import {
  config,
  type Entries,
  fleetProvider,
  guardrail,
  issuer,
  organisation,
  provider,
  sidecar,
  TEAM,
  workspace,
} from '../kit/snapshot.ts';
import { LOOPBACK_PEM } from '../kit/tls.ts';
import { waitFor } from '../kit/wait-for.ts';

const TLS = { TLS_KEY: LOOPBACK_PEM, TLS_CERT: LOOPBACK_PEM };
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-fleet-token-'));
let signer: TokenIssuer;
let fleet: World;
let beside: World;

/** A token that is good now. */
function tokenFor(claims: Record<string, unknown> = {}, by: TokenIssuer = signer): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return by.sign({ iat: now, exp: now + 600, ...claims });
}

function tokenFile(token: string): string {
  const path = join(mkdtempSync(join(folder, 'pod-')), 'token');
  writeFileSync(path, token);
  return path;
}

interface SidecarOptions {
  readonly token?: string;
  readonly address?: { readonly url: string; readonly ca?: string } | undefined;
  readonly defaults?: { readonly config?: string; readonly metadata?: Record<string, string> };
  readonly entries?: Entries;
  readonly env?: Readonly<Record<string, string>>;
}

interface Sidecar extends RunningGateway {
  readonly tokenFile: string;
  /** As an application does whose SDK was given the placeholder. */
  ask(path: string, options?: SendOptions): Promise<Received>;
}

const BY_METADATA = JSON.parse(`{
  "strategy": {
    "mode": "conditional",
    "conditions": [{ "query": { "metadata.app": "Grüße" }, "then": "mine" }],
    "default": "other"
  },
  "targets": [
    { "name": "mine", "provider": "@shared", "override_params": { "model": "by-metadata" } },
    { "name": "other", "provider": "@shared", "override_params": { "model": "by-default" } }
  ]
}`);

const CLUSTER = 'https://kubernetes.default.svc';

/** Whose pods act in the workspace whatever their ServiceAccount is. */
const INJECTED = 'injected';
const POD = { pod: { name: 'web-0' } };

/** As the kubelet projects it into the pod. */
const podToken = (
  account = 'web',
  claims: Record<string, unknown> = {},
  { namespace = 'apps', isOfPod = true } = {},
): Promise<string> =>
  tokenFor({
    ...{ iss: CLUSTER, aud: ['gatehouse.dev/gateway'], sub: `system:serviceaccount:${namespace}:${account}` },
    'kubernetes.io': { namespace, serviceaccount: { name: account, uid: 'u-1' }, ...(isOfPod ? POD : {}) },
    ...claims,
  });

const PLACEHOLDER = { authorization: 'Bearer provided-by-gatehouse' };

async function startSidecar(options: SidecarOptions = {}): Promise<Sidecar> {
  const { address = { url: fleet.url, ca: LOOPBACK_PEM }, defaults, entries = [] } = options;
  const file = tokenFile(options.token ?? (await tokenFor()));
  const gateway = await startGateway({
    env: {
      GATEHOUSE_SNAPSHOT_SOURCE: 'sidecar',
      GATEHOUSE_SIDECAR_PROFILE: 'app',
      GATEHOUSE_FLEET_TOKEN_FILE: file,
      GATEHOUSE_CONNECT_TIMEOUT_MS: '2000',
      ...options.env,
    },
    entries: [
      organisation(),
      workspace(),
      sidecar('app', { fleet: address, defaults: { allowConfigOverride: true, ...defaults } }),
      provider('local', { customHost: `${beside.mock.url}/v1`, secret: 'sk-local-secret' }),
      fleetProvider('shared'),
      ...entries,
    ],
  });
  return Object.assign(gateway, {
    tokenFile: file,
    ask: (path: string, { headers, ...rest }: SendOptions = {}) =>
      send(gateway.url + path, { headers: { ...PLACEHOLDER, ...headers }, ...rest }),
  });
}

beforeAll(async () => {
  signer = await createTokenIssuer();
  beside = await startWorld();
  fleet = await startWorld({
    env: TLS,
    entries: ({ url }) => [
      organisation(),
      workspace(TEAM, {
        workloadIdentities: [{ namespace: 'apps', serviceAccount: 'web', scopes: ['completions.write'] }],
        sidecarIdentity: { namespace: INJECTED, scopes: ['completions.write'] },
      }),
      workspace('team-b'),
      issuer(CLUSTER, {
        ...{ type: 'cluster', jwks: [signer.jwk], audiences: ['gatehouse.dev/gateway'] },
        ...{ maxLifetimeSeconds: 3600, scopes: [] },
      }),
      issuer(ISSUER, { jwks: [signer.jwk] }),
      provider('shared', {
        workspace: null,
        grants: [TEAM],
        customHost: `${url}/v1`,
        secret: 'sk-organisation-secret',
      }),
      provider('guarded', { customHost: `${url}/v1`, secret: 'sk-guarded-at-the-fleet' }),
      provider('only-b', { workspace: 'team-b', customHost: `${url}/v1`, secret: 'sk-only-b-secret' }),
      config('named', { provider: '@shared', override_params: { model: 'of-the-profile' } }),
      config('by-metadata', BY_METADATA),
    ],
  });
});

afterAll(async () => {
  await Promise.all([fleet[Symbol.asyncDispose](), beside[Symbol.asyncDispose]()]);
  rmSync(folder, { recursive: true });
});

const messages = [{ role: 'user', content: 'a question' }];
const chat = (model: string, more: object = {}) => ({ body: { model, messages, ...more } });

describe('a request whose target needs a credential of the organisation', () => {
  test('goes whole to the fleet, with the token of the pod and nothing that the SDK sent as a key', async () => {
    await using gateway = await startSidecar();
    const body = '{ "model":"@shared/gpt-4o",  "messages":[{"role":"user","content":"hi"}], "user":"u" }';
    const answer = await gateway.ask('/v1/chat/completions?one=1', {
      headers: { 'content-type': 'application/json', 'x-gw-trace-id': 'trace-of-the-app' },
      body,
    });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ 'x-gw-provider': 'openai', 'x-gw-trace-id': 'trace-of-the-app' });
    const sent = lastRequest(fleet.mock);
    expect(sent.headers['authorization']).toBe('Bearer sk-organisation-secret');
    expect(JSON.stringify(sent.headers)).not.toContain('provided-by-gatehouse');
    expect(answer.json().model).toBe('gpt-4o');
  });

  test('is served for the ServiceAccount of the pod', async () => {
    await using gateway = await startSidecar({ token: await podToken() });
    expect((await gateway.ask('/v1/chat/completions', chat('@shared/gpt-4o'))).status).toBe(200);
  });

  test('is streamed, and one that the client leaves is ended at the provider', async () => {
    await using gateway = await startSidecar();
    const whole = await gateway.ask('/v1/chat/completions', chat('@shared/gpt-4o', { stream: true }));
    expect(eventsOf(whole.text).at(-1)?.data).toBe('[DONE]');
    const { request, response } = await open(`${gateway.url}/v1/chat/completions`, {
      headers: PLACEHOLDER,
      ...chat('@shared/mock-slow-60000', { stream: true }),
    });
    expect(response.statusCode).toBe(200);
    request.on('error', () => undefined); // the connection that is cut here
    request.destroy();
    await waitFor(() => lastRequest(fleet.mock).outcome === 'broken', { what: 'the end of the call to the provider' });
    await waitFor(async () => (await gateway.metric('gatehouse_requests_in_flight')) === 0, {
      what: 'no request in flight',
    });
  });

  test('is a child of the span of the sidecar, where that makes spans', async () => {
    await using collector = await startOtlpReceiver();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '1' };
    await using gateway = await startSidecar({ env });
    const [trace, parent] = ['f'.repeat(32), '1'.repeat(16)];
    const answer = await gateway.ask('/v1/chat/completions', {
      ...chat('@shared/gpt-4o'),
      headers: { traceparent: `00-${trace}-${parent}-01`, 'x-gw-span-id': '2'.repeat(16) },
    });
    expect(answer.status).toBe(200);
    const [span] = await collector.trace(trace, 1);
    expect(span).toMatchObject({ kind: 'server', parentId: parent, spanId: '2'.repeat(16) });
    const line = await waitFor(() => fleet.logs.find((each) => each['traceId'] === trace && each['status'] === 200));
    expect(line['parentSpanId']).toBe(span?.spanId);
    expect(line['spanId']).not.toBe(span?.spanId);
  });

  test('may have a body that is larger than what is held in memory', async () => {
    await using gateway = await startSidecar();
    const file = Buffer.alloc(12 * 1024 * 1024, 'x');
    const edge = 'edge';
    const part = (name: string, rest: string) =>
      `--${edge}\r\ncontent-disposition: form-data; name="${name}"${rest}\r\n\r\n`;
    const body = Buffer.concat([
      Buffer.from(`${part('model', '')}@shared/whisper-1\r\n${part('file', '; filename="a.wav"')}`),
      file,
      Buffer.from(`\r\n--${edge}--\r\n`),
    ]);
    const answer = await gateway.ask('/v1/audio/transcriptions', {
      headers: { 'content-type': `multipart/form-data; boundary=${edge}`, 'x-gw-provider': '@shared' },
      body,
    });
    expect(answer.status, answer.text).toBe(200);
    expect(lastRequest(fleet.mock).path).toBe('/v1/audio/transcriptions');
  });

  test('keeps the default config and the metadata of the profile', async () => {
    await using named = await startSidecar({
      defaults: { config: 'named' },
      entries: [config('named', { provider: '@shared', override_params: { model: 'of-the-profile' } })],
    });
    expect((await named.ask('/v1/chat/completions', chat('any'))).json().model).toBe('of-the-profile');
    expect((await named.ask('/v1/chat/completions', chat('@shared/own'))).json().model).toBe('own');
    await using marked = await startSidecar({
      defaults: { config: 'by-metadata', metadata: { app: 'Grüße' } },
      entries: [config('by-metadata', { provider: '@shared' })],
    });
    const answer = await marked.ask('/v1/chat/completions', {
      headers: { 'x-gw-metadata': '{"a":1}' },
      ...chat('any'),
    });
    expect(answer.json().model).toBe('by-metadata');
  });

  test('goes before any target is tried beside the application', async () => {
    const tree = {
      strategy: { mode: 'fallback' },
      targets: [{ provider: '@local' }, { provider: '@shared' }],
    };
    await using gateway = await startSidecar({ entries: [config('both', tree)] });
    const before = beside.mock.requests.length;
    const answer = await gateway.ask('/v1/chat/completions', { headers: { 'x-gw-config': 'both' }, ...chat('any') });
    expect(answer.json()).toMatchObject({ error: { code: 'config_unknown' } }); // the fleet decides, and has no such config
    expect(beside.mock.requests.length).toBe(before);
  });

  test('needs no ServiceAccount that a workspace names where the pods of the namespace have sidecars', async () => {
    await using gateway = await startSidecar({ token: await podToken('default', {}, { namespace: INJECTED }) });
    const answer = await gateway.ask('/v1/chat/completions', chat('@shared/gpt-4o'));
    expect(answer.status, answer.text).toBe(200);
    expect(lastRequest(fleet.mock).headers['authorization']).toBe('Bearer sk-organisation-secret');
  });

  test('takes the token that the file has now', async () => {
    await using gateway = await startSidecar({ token: 'stale.token.value' });
    expect((await gateway.ask('/v1/chat/completions', chat('@shared/gpt-4o'))).status).toBe(401);
    writeFileSync(gateway.tokenFile, await tokenFor());
    expect((await gateway.ask('/v1/chat/completions', chat('@shared/gpt-4o'))).status).toBe(200);
  });
});

describe('the fleet', () => {
  test.each([
    { rule: 'signed by someone else', token: async () => tokenFor({}, await createTokenIssuer()), status: 401 },
    { rule: 'for another audience', token: () => tokenFor({ aud: 'kubernetes' }), status: 401 },
    { rule: 'that has expired', token: () => tokenFor({ exp: Math.floor(Date.now() / 1000) - 600 }), status: 401 },
    { rule: 'of a ServiceAccount that no workspace names', token: () => podToken('other'), status: 403 },
    {
      rule: 'of no pod, in a namespace whose pods have sidecars',
      token: () => podToken('default', {}, { namespace: INJECTED, isOfPod: false }),
      status: 403,
    },
    {
      rule: 'for the API server',
      token: () => podToken('web', { aud: ['https://kubernetes.default.svc'] }),
      status: 401,
    },
    {
      rule: 'of another workspace, which has no such provider',
      token: () => tokenFor({ gw_workspace: 'team-b' }),
      status: 400,
    },
  ])('refuses a token $rule', async ({ token, status }) => {
    await using gateway = await startSidecar({ token: await token() });
    const before = fleet.mock.requests.length;
    expect((await gateway.ask('/v1/chat/completions', chat('@shared/gpt-4o'))).status).toBe(status);
    expect(fleet.mock.requests.length).toBe(before);
  });

  test('is not asked again by a sidecar that gets a request from another gateway', async () => {
    await using gateway = await startSidecar();
    const headers = { via: '1.1 gatehouse-other' };
    const answer = await gateway.ask('/v1/chat/completions', { headers, ...chat('@shared/gpt-4o') });
    expect(answer.status).toBe(501);
    expect(answer.json()).toMatchObject({ error: { code: 'needs_fleet' } });
  });
});

describe('a request under a guardrail whose credential stays with the fleet', () => {
  const guarded = (): Entries => [
    workspace(TEAM, { defaults: { inputGuardrails: ['scan'] } }),
    guardrail('scan', [{ id: 'default.contains', parameters: { words: ['x'], operator: 'none' } }], {
      workspace: null,
      needsFleet: ['credential//Integration:scanner'],
    }),
    provider('guarded', { customHost: `${beside.mock.url}/v1`, secret: 'sk-guarded-beside' }),
  ];

  test('goes whole to the fleet, also where the sidecar has the credential of the target', async () => {
    await using gateway = await startSidecar({ entries: guarded() });
    const answer = await gateway.ask('/v1/chat/completions', chat('@guarded/gpt-4o'));
    expect(answer.status, answer.text).toBe(200);
    expect(lastRequest(fleet.mock).headers['authorization']).toBe('Bearer sk-guarded-at-the-fleet');
  });

  test('gets 503 with the reason while the fleet is away', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    await using gateway = await startSidecar({ address: { url }, entries: guarded() });
    const answer = await gateway.ask('/v1/chat/completions', chat('@guarded/gpt-4o'));
    expect(answer.status).toBe(503);
    expect(answer.json()).toMatchObject({ error: { code: 'fleet_unavailable' } });
  });

  test('is refused where the profile has no fleet', async () => {
    await using gateway = await startSidecar({ entries: [...guarded(), sidecar('app')] });
    const answer = await gateway.ask('/v1/chat/completions', chat('@guarded/gpt-4o'));
    expect(answer.status).toBe(501);
    expect(answer.json().error.message).toContain('guardrail');
  });
});

describe('while the fleet is away', () => {
  test('requests that need it get 503 with the reason, and others are served', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    await using gateway = await startSidecar({ address: { url } });
    const answer = await gateway.ask('/v1/chat/completions', chat('@shared/gpt-4o'));
    expect(answer.status).toBe(503);
    expect(answer.headers['retry-after']).toBe('1');
    expect(answer.json()).toMatchObject({
      error: {
        code: 'fleet_unavailable',
        type: 'fleet_unavailable_error',
        message: expect.stringContaining('nothing accepts connections'),
      },
    });
    expect((await gateway.ask('/v1/chat/completions', chat('@local/gpt-4o'))).status).toBe(200);
  });

  test.each([
    { rule: 'has a certificate of another authority', address: () => ({ url: fleet.url }) },
    { rule: 'has an address without TLS', address: () => ({ url: 'http://192.0.2.1:8787' }) },
  ])('one that $rule gets no token', async ({ address }) => {
    await using gateway = await startSidecar({ address: address() });
    const answer = await gateway.ask('/v1/chat/completions', chat('@shared/gpt-4o'));
    expect(answer.json()).toMatchObject({ error: { code: 'fleet_unavailable' } });
  });

  test('a pod without a token is told so', async () => {
    await using gateway = await startSidecar();
    rmSync(gateway.tokenFile);
    const answer = await gateway.ask('/v1/chat/completions', chat('@shared/gpt-4o'));
    expect(answer.status).toBe(503);
    expect(answer.json().error.message).toContain('has no token');
  });

  test('without a fleet in its profile a sidecar refuses as before', async () => {
    await using gateway = await startSidecar({ address: undefined, entries: [sidecar('app')] });
    const answer = await gateway.ask('/v1/chat/completions', chat('@shared/gpt-4o'));
    expect(answer.status).toBe(501);
  });
});
