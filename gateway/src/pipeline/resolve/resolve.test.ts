import { DEFAULT_TARGET_CAPS } from '@gatehouse/crds/config';
import {
  config,
  type FakeRequest,
  fakeRequest,
  KEY,
  key,
  organisation,
  provider,
  workspace,
} from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import type { AppError } from '../../errors/index.ts';
import { Cancellation } from '../../lib/cancellation.ts';
import { reveal } from '../../lib/secret.ts';
import { unlimitedAccount } from '../../lib/testing.ts';
import { PROVIDERS } from '../../providers/register.ts';
import type { SnapshotView } from '../../snapshot/index.ts';
import { createHostPolicy } from '../../upstream/host-guard/index.ts';
import type { Exchange } from '../exchange.ts';
import { identify } from '../identify.ts';
import { OPERATIONS, type OperationId } from '../operations/index.ts';
import { readBody } from '../read-body.ts';
import { viewOf } from '../testing.ts';
import { createResolver, headerFields, type Resolution } from './index.ts';

const hosts = createHostPolicy({ trustedCustomHosts: undefined, production: true });
const resolver = createResolver({ providers: PROVIDERS, hosts, caps: DEFAULT_TARGET_CAPS, savedConfigsOnly: false });

const world = await viewOf(workspace(), key(), provider('main'), config('saved', { provider: '@main' }));

interface Asked extends FakeRequest {
  readonly operation?: OperationId;
  readonly snapshotView?: SnapshotView;
}

async function resolve({ operation = 'chatComplete', snapshotView = world, ...given }: Asked): Promise<Resolution> {
  const request = fakeRequest({ body: { model: 'm' }, ...given, headers: { 'x-gw-api-key': KEY, ...given.headers } });
  const exchange: Exchange = {
    operation: OPERATIONS[operation],
    request,
    snapshot: snapshotView,
    signal: new Cancellation(),
    atEnd: () => {},
    memory: unlimitedAccount(),
    startedMs: 0,
    trace: { traceId: 't', spanId: undefined, parentSpanId: undefined, spanName: undefined },
  };
  return resolver.resolve(exchange, await identify(request, snapshotView), await readBody(exchange));
}
const codeOf = (given: Asked): Promise<string> =>
  resolve(given).then(
    () => 'resolved',
    (error: AppError) => error.code,
  );
const inline = (document: object) => ({ 'x-gw-config': JSON.stringify(document) });

describe('the provider of a request', () => {
  test.for<{ rule: string; headers: Record<string, string>; want: object }>([
    {
      rule: 'is named by slug',
      headers: { 'x-gw-provider': '@main' },
      want: { kind: 'managed', record: { slug: 'main' } },
    },
    {
      rule: 'is named by slug before the virtual key',
      headers: { 'x-gw-provider': '@main', 'x-gw-virtual-key': 'nope' },
      want: { kind: 'managed' },
    },
    {
      rule: 'is the virtual key before a plain name',
      headers: { 'x-gw-provider': 'anthropic', 'x-gw-virtual-key': '@main' },
      want: { kind: 'managed', record: { slug: 'main' } },
    },
    {
      rule: 'has the bearer token as its key',
      headers: { 'x-gw-provider': 'openai', authorization: 'Bearer sk' },
      want: { kind: 'named', fields: new Map([['api_key', 'sk']]) },
    },
    {
      rule: 'has x-api-key as its key',
      headers: { 'x-gw-provider': 'anthropic', 'x-api-key': 'sk' },
      want: { kind: 'named', fields: new Map([['api_key', 'sk']]) },
    },
    {
      rule: 'reads the headers of its vendor',
      headers: { 'x-gw-provider': 'azure-openai', 'x-gw-azure-resource-name': 'r', 'x-gw-azure-deployment-id': 'd' },
      want: {
        fields: new Map([
          ['resource_name', 'r'],
          ['deployment_id', 'd'],
        ]),
      },
    },
    {
      rule: 'reads the spelling of the public contract, too',
      headers: {
        'x-gw-provider': 'bedrock',
        'x-gw-cloud-c-region': 'eu-west-1',
        'x-gw-cloud-c-secret-access-key': 's',
        'x-gw-cloud-c-session-token': 't',
      },
      want: {
        fields: new Map([
          ['aws_secret_access_key', 's'],
          ['aws_session_token', 't'],
          ['aws_region', 'eu-west-1'],
        ]),
      },
    },
    {
      rule: 'reads the plain headers of vendors',
      headers: { 'x-gw-provider': 'anthropic', 'anthropic-version': '2023-06-01' },
      want: { fields: new Map([['anthropic_version', '2023-06-01']]) },
    },
  ])('$rule', async ({ headers, want }) => {
    const { requestProvider } = await resolve({ headers });
    if ('fields' in want && requestProvider?.kind === 'named') {
      expect(Object.fromEntries([...requestProvider.fields].map(([key, value]) => [key, reveal(value)]))).toEqual(
        Object.fromEntries(want.fields as Map<string, string>),
      );
    } else expect(requestProvider).toMatchObject(want);
  });

  test('stands before its model, which loses the prefix', async () => {
    const { requestProvider, params } = await resolve({ body: { model: '@main/org/gpt', a: 1 } });
    expect(requestProvider).toMatchObject({ kind: 'managed', record: { slug: 'main' } });
    expect(params).toEqual({ model: 'org/gpt', a: 1 });
  });

  test.for(['@cf/meta/llama', '@hf/x/y', '@/x', 'm@main/x'])('is not named by the model %s', async (model) => {
    const { requestProvider, params } = await resolve({ headers: { 'x-gw-config': 'saved' }, body: { model } });
    expect(requestProvider).toBeUndefined();
    expect(params['model']).toBe(model);
  });

  test.for<{ model: string; code: string }>([
    { model: '@unknown/model', code: 'PROVIDER_SLUG_UNKNOWN' },
    { model: '@unknown', code: 'PROVIDER_SLUG_UNKNOWN' },
    { model: '@', code: 'PROVIDER_SLUG_UNKNOWN' },
    { model: '@main', code: 'MODEL_REQUIRED' },
  ])('is never guessed: the model $model is $code, whatever else names one', async ({ model, code }) => {
    for (const headers of [
      {},
      { 'x-gw-config': 'saved' },
      { 'x-gw-provider': '@main' },
      inline({ provider: '@main' }),
    ]) {
      expect(await codeOf({ headers, body: { model } })).toBe(code);
      expect(await codeOf({ operation: 'proxy', headers, body: { model } })).toBe(code);
    }
  });

  test('may begin the model with an at sign of its own', async () => {
    expect((await resolve({ body: { model: '@main/@preset/x' } })).params['model']).toBe('@preset/x');
  });

  test('may describe the call to any provider', () => {
    const request = fakeRequest({ headers: { 'anthropic-beta': 'b', 'x-gw-azure-resource-name': 'r' } });
    expect(headerFields('call', 'anthropic', request)).toEqual(new Map([['anthropic_beta', 'b']]));
    expect(headerFields('call', 'azure-openai', request)).toBeUndefined();
    expect(headerFields('routing', 'azure-openai', request)).toEqual(new Map([['resource_name', 'r']]));
  });
});

describe('a default config', () => {
  const DEFAULTS = {
    direct: { provider: '@main', retry: { attempts: 2 } },
    balanced: { strategy: { mode: 'loadbalance' }, targets: [{ provider: '@main' }], cache: { mode: 'simple' } },
    open: { retry: { attempts: 1 } },
    through: { strategy: { mode: 'fallback' }, targets: [{ passthrough: true }, { provider: '@main' }] },
  };
  const secretOf = (name: string, lock: boolean): string => `${name}-${lock}`;
  const defaultsWorld = viewOf(
    workspace('team-a', { defaults: { config: 'direct' } }),
    key(),
    key({ name: 'locked-empty', secret: 'locked-empty', allowConfigOverride: false }),
    ...Object.keys(DEFAULTS).flatMap((name) =>
      [true, false].map((lock) =>
        key({ name: secretOf(name, lock), secret: secretOf(name, lock), config: name, allowConfigOverride: !lock }),
      ),
    ),
    provider('main'),
    provider('other', { provider: 'anthropic' }),
    ...Object.entries(DEFAULTS).map(([name, document]) => config(name, document)),
  );
  const under = async (name: string, lock: boolean, given: Asked): Promise<Asked> => ({
    ...given,
    snapshotView: await defaultsWorld,
    headers: { 'x-gw-api-key': secretOf(name, lock), ...given.headers },
  });

  const WAYS: readonly { way: string; given: Asked; param: string }[] = [
    { way: 'x-gw-provider with a slug', given: { headers: { 'x-gw-provider': '@other' } }, param: 'x-gw-provider' },
    { way: 'x-gw-virtual-key', given: { headers: { 'x-gw-virtual-key': 'other' } }, param: 'x-gw-virtual-key' },
    { way: 'x-gw-provider with a name', given: { headers: { 'x-gw-provider': 'anthropic' } }, param: 'x-gw-provider' },
    { way: 'the model', given: { body: { model: '@other/m' } }, param: 'model' },
  ];

  test.for(WAYS)('gives way to a provider named by $way, and keeps its settings', async ({ given }) => {
    const { plan, requestProvider } = await resolve(await under('direct', false, given));
    expect(plan).toMatchObject({ slug: 'direct', slugs: [], root: { kind: 'leaf', source: { kind: 'request' } } });
    expect(plan.root).toMatchObject({ settings: { retry: { maxRetries: 2 } } });
    expect(requestProvider).toBeDefined();
    const balanced = await resolve(await under('balanced', false, given));
    expect(balanced.plan.root).toMatchObject({ kind: 'leaf', settings: { cache: { semantic: undefined } } });
  });

  test.for(WAYS)('that is locked refuses a provider named by $way', async ({ given, param }) => {
    const error = await resolve(await under('balanced', true, given)).catch((thrown: AppError) => thrown);
    expect(error).toMatchObject({ code: 'CONFIG_LOCKED', param });
    expect(String(error)).toContain('allowConfigOverride');
  });

  test.for([true, false])('that uses the provider of the request is used, locked: %s', async (lock) => {
    const named = { headers: { 'x-gw-provider': '@other' } };
    const { plan } = await resolve(await under('through', lock, named));
    expect(plan.root).toMatchObject({ kind: 'branch', mode: 'fallback' });
    expect(await codeOf(await under('open', lock, named))).toBe('resolved');
  });

  test('of the workspace gives way too, also for a key that may not bring a config', async () => {
    for (const secret of [KEY, 'locked-empty']) {
      const headers = { 'x-gw-api-key': secret, 'x-gw-provider': '@other' };
      const { plan } = await resolve({ snapshotView: await defaultsWorld, headers });
      expect(plan).toMatchObject({ slug: 'direct', needsRequestProvider: true });
    }
  });

  test('is used by requests that name no provider', async () => {
    const { plan } = await resolve(await under('balanced', true, {}));
    expect(plan.root).toMatchObject({ kind: 'branch', mode: 'loadbalance' });
  });

  test('that the request names itself decides the provider', async () => {
    const headers = { 'x-gw-config': 'balanced', 'x-gw-provider': '@other' };
    const { plan } = await resolve(await under('direct', false, { headers }));
    expect(plan.root).toMatchObject({ kind: 'branch', mode: 'loadbalance' });
  });
});

describe('headers over the config', () => {
  const headerOverrides = async (headers: Record<string, string>) =>
    (await resolve({ headers: { 'x-gw-provider': '@main', ...headers } })).headerOverrides;

  test.for<{ headers: Record<string, string>; want: object }>([
    { headers: { 'x-gw-request-timeout': '1500' }, want: { requestTimeoutMs: 1500 } },
    { headers: { 'x-gw-request-timeout': ' ' }, want: { requestTimeoutMs: undefined } },
    { headers: { 'x-gw-custom-host': ' https://a.example/v1// ' }, want: { customHost: 'https://a.example/v1' } },
    { headers: { 'x-gw-custom-host': '' }, want: { customHost: undefined } },
    { headers: { 'x-gw-forward-headers': 'X-A,x-b' }, want: { forwardHeaders: ['x-a', 'x-b'] } },
    { headers: { 'x-gw-forward-headers': '' }, want: { forwardHeaders: [] } },
    { headers: { 'x-gw-strict-open-ai-compliance': 'False' }, want: { relaxed: true } },
    { headers: { 'x-gw-strict-open-ai-compliance': 'true' }, want: { relaxed: false } },
    { headers: { 'x-gw-cache-force-refresh': ' TRUE' }, want: { cacheRefresh: true } },
    { headers: { 'x-gw-cache-force-refresh': '1' }, want: { cacheRefresh: false } },
    { headers: { 'x-gw-cache-namespace': '' }, want: { cacheNamespace: '' } },
    { headers: {}, want: { requestTimeoutMs: undefined, customHost: undefined, forwardHeaders: undefined } },
  ])('$headers', async ({ headers, want }) => {
    expect(await headerOverrides(headers)).toMatchObject(want);
  });

  test.for(['soon', '-1', '1.5', '1e99', 'NaN', '86400001', '0x'])('a timeout of %j is refused', async (text) => {
    expect(await codeOf({ headers: { 'x-gw-provider': '@main', 'x-gw-request-timeout': text } })).toBe(
      'HEADER_INVALID',
    );
  });
});

describe('the content type', () => {
  test.for<{ type: string; operation?: OperationId; want: string }>([
    { type: 'application/json', want: 'resolved' },
    { type: 'Application/JSON; charset=utf-8', want: 'resolved' },
    { type: 'application/vnd.api+json', want: 'resolved' },
    { type: '', want: 'resolved' },
    { type: 'text/plain', want: 'CONTENT_TYPE_INVALID' },
    { type: 'multipart/form-data; boundary=x', want: 'CONTENT_TYPE_INVALID' },
    { type: 'text/plain', operation: 'proxy', want: 'resolved' },
    { type: 'multipart/form-data; boundary=x', operation: 'proxy', want: 'resolved' },
  ])('$type of $operation: $want', async ({ type, operation = 'chatComplete', want }) => {
    expect(await codeOf({ operation, headers: { 'x-gw-provider': '@main', 'content-type': type } })).toBe(want);
  });
});

describe('an inline config', () => {
  test('is compiled once per text', async () => {
    const headers = inline({ provider: '@main', retry: { attempts: 1 } });
    const [first, second] = [await resolve({ headers }), await resolve({ headers })];
    expect(second.plan).toBe(first.plan);
  });

  test('that is broken never quotes a credential', async () => {
    const SECRET = 'sk-in-the-config';
    const texts = [
      `{"provider":"openai","api_key":"${SECRET}"`,
      `{"provider":"openai","api_key":"${SECRET}","retry":{"attempts":-1}}`,
      `{"api_key":["${SECRET}"],"provider":"openai"}`,
      `{"provider":"openai","api_key":"${SECRET}","targets":[{"api_key":"${SECRET}"}]}`,
      `{"provider":"openai","aws_secret_access_key":{"a":"${SECRET}"},"weight":"x"}`,
    ];
    for (const text of texts) {
      const error = await resolve({ headers: { 'x-gw-config': text } }).catch((thrown: AppError) => thrown);
      expect(error).toMatchObject({ code: expect.stringMatching(/^CONFIG_/) });
      expect(JSON.stringify([error, String(error), (error as AppError).issues])).not.toContain(SECRET);
    }
  });

  test('has its caps', async () => {
    const targets = Array.from({ length: DEFAULT_TARGET_CAPS.rootTargets + 1 }, () => ({ provider: '@main' }));
    expect(await codeOf({ headers: inline({ strategy: { mode: 'fallback' }, targets }) })).toBe('CONFIG_INVALID');
  });

  test('begins with a brace; anything else is a slug', async () => {
    expect(await codeOf({ headers: { 'x-gw-config': '  {"provider":"@main"}' } })).toBe('resolved');
    expect(await codeOf({ headers: { 'x-gw-config': 'saved' } })).toBe('resolved');
    expect(await codeOf({ headers: { 'x-gw-config': '"saved"' } })).toBe('CONFIG_UNKNOWN');
    expect(await codeOf({ headers: { 'x-gw-config': '' } })).toBe('PROVIDER_REQUIRED');
  });
});

describe('a config of the organisation', () => {
  const CREDENTIAL = { workspace: null, credential: 'credential//GatewayConfig:direct:openai:key' };
  const target = { provider: 'ollama', custom_host: 'http://ollama.example:11434' };
  /** A team that may use the shared provider and one that may not, each with a key; its default config is the direct one. */
  const organisationWorld = (defaults = {}) =>
    viewOf(
      organisation({ defaultWorkspace: 'team-b' }),
      workspace('team-a', { defaults }),
      workspace('team-b', { defaults }),
      key({ workspace: 'team-a', secret: 'a' }),
      key({ workspace: 'team-a', name: 'direct', secret: 'a-direct', config: 'direct' }),
      key({ workspace: 'team-b', secret: 'b' }),
      key({ workspace: null, secret: 'organisation' }),
      key({ workspace: null, name: 'direct', secret: 'organisation-direct', config: 'direct' }),
      provider('shared', { workspace: null, grants: ['team-a'] }),
      config('lent', { provider: '@shared' }, { workspace: null }),
      config('direct', target, CREDENTIAL),
      config('below', { strategy: { mode: 'fallback' }, targets: [target] }, CREDENTIAL),
    );

  test.for<{ rule: string; secret: string; config?: string; defaults?: object; want: string }>([
    { rule: 'leads a workspace to what is granted to it', secret: 'a', config: 'lent', want: 'resolved' },
    { rule: 'leads no workspace to anything else', secret: 'b', config: 'lent', want: 'PROVIDER_SLUG_UNKNOWN' },
    { rule: 'with a credential is not for those who name it', secret: 'a', config: 'direct', want: 'CONFIG_UNKNOWN' },
    { rule: 'with a credential in a target is neither', secret: 'a', config: 'below', want: 'CONFIG_UNKNOWN' },
    { rule: 'with a credential is not for keys that name it', secret: 'a-direct', want: 'CONFIG_UNKNOWN' },
    {
      rule: 'with a credential is for a workspace that the organisation gives it to',
      secret: 'a',
      defaults: { config: 'direct' },
      want: 'resolved',
    },
    {
      rule: 'with a credential is not for those who name it beside such a default',
      secret: 'a',
      config: 'direct',
      defaults: { config: 'direct' },
      want: 'CONFIG_UNKNOWN',
    },
    { rule: 'with a credential is for its own keys', secret: 'organisation', config: 'direct', want: 'resolved' },
    { rule: 'with a credential is for its own keys by default', secret: 'organisation-direct', want: 'resolved' },
  ])('$rule', async ({ secret, config: named, defaults, want }) => {
    const headers = { 'x-gw-api-key': secret, ...(named === undefined ? {} : { 'x-gw-config': named }) };
    expect(await codeOf({ snapshotView: await organisationWorld(defaults), headers })).toBe(want);
  });

  test('with a credential is refused in the same words as one that does not exist', async () => {
    const refusal = async (slug: string) => {
      const given = { snapshotView: await organisationWorld(), headers: { 'x-gw-api-key': 'a', 'x-gw-config': slug } };
      const error = await resolve(given).catch((thrown: AppError) => thrown);
      return JSON.stringify([(error as AppError).code, String(error), error]).replaceAll(slug, '');
    };
    expect(await refusal('direct')).toBe(await refusal('dircet'));
  });
});

describe('GET /v1/models', () => {
  test('needs no provider', async () => {
    expect(await codeOf({ operation: 'listModels', method: 'GET' })).toBe('resolved');
  });
});

test('a request under a guardrail that does not exist is refused', async () => {
  const lost = workspace('team-a', { defaults: { outputGuardrails: ['lost'] } });
  const given = { snapshotView: await viewOf(lost, key(), provider('main')), headers: { 'x-gw-provider': '@main' } };
  const codes = (['chatComplete', 'getModelResponse'] as const).map((operation) => codeOf({ ...given, operation }));
  expect(await Promise.all(codes)).toEqual(['GUARDRAIL_UNKNOWN', 'resolved']);
});
