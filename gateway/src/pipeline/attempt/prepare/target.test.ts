import { DEFAULT_TARGET_CAPS, parseInlineConfig } from '@gatehouse/crds/config';
import { type FakeRequest, fakeRequest, provider, snapshot, unwrap, workspace } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import type { AppError } from '../../../errors/index.ts';
import type { Provider } from '../../../providers/contract.ts';
import { baseOf } from '../../../providers/engine/target.ts';
import { sampleCall } from '../../../providers/engine/testing.ts';
import { PROVIDERS } from '../../../providers/register.ts';
import { compilePlan, type RoutingPlan } from '../../../routing/index.ts';
import { createSnapshotHolder } from '../../../snapshot/index.ts';
import { createHostPolicy, type HostPolicy } from '../../../upstream/host-guard/index.ts';
import type { Caller } from '../../exchange.ts';
import { OPERATIONS } from '../../operations/index.ts';
import type { RequestProvider, Resolution } from '../../resolve/index.ts';
import { type ResolvedTarget, resolveTarget } from './target.ts';

const NOW = Date.UTC(2026, 0, 1);
const hosts = createHostPolicy({ trustedCustomHosts: 'header.example, config.example', production: true });

/** A listener of the gateway itself. */
const GATEWAY = { address: '10.1.2.3', port: 8787 };
const holder = createSnapshotHolder({ providers: PROVIDERS });
await holder.load(
  1,
  snapshot(
    workspace(),
    provider('main', { customHost: 'http://vllm.team-a.svc/v1', headers: { 'x-team': 'a' } }),
    provider('plain'),
    provider('own', { customHost: `http://${GATEWAY.address}:${GATEWAY.port}/v1` }),
    provider('hf', { provider: 'huggingface' }),
    provider('shared', { workspace: null, grants: ['team-a'] }),
    provider('metadata', { customHost: 'http://169.254.169.254/v1' }),
    provider('narrow', { models: ['m'] }),
    provider('expiring', { expiresAt: new Date(NOW).toISOString() }),
    provider('azure', {
      provider: 'azure-openai',
      settings: { resource_name: 'res', api_version: 'v0' },
      deployments: [
        { deploymentId: 'dep-a', alias: 'gpt', apiVersion: 'v1' },
        { deploymentId: 'dep-b', isDefault: true },
      ],
    }),
    provider('azure-strict', {
      provider: 'azure-openai',
      settings: { resource_name: 'res', api_version: 'v0' },
      deployments: [{ deploymentId: 'dep-a', alias: 'gpt' }],
    }),
  ),
);
const view = holder.current;
if (view === undefined) throw new Error(holder.status.rejected?.reason);

interface Asked {
  readonly target?: object;
  readonly saved?: boolean;
  /** Instead of that of the target. */
  readonly plan?: RoutingPlan;
  readonly policy?: HostPolicy;
  readonly request?: FakeRequest;
  readonly customHost?: string;
  readonly requestProvider?: RequestProvider;
  readonly model?: string;
  readonly nowMs?: number;
}

function planOf(target: object, saved = false): RoutingPlan {
  const node = unwrap(parseInlineConfig(target, { caps: DEFAULT_TARGET_CAPS, saved: false }));
  return compilePlan(node, { saved: saved ? { slug: 's', version: 'v' } : undefined, credential: () => undefined });
}

function resolve({
  target = {},
  saved = false,
  plan = planOf(target, saved),
  policy = hosts,
  request = {},
  customHost,
  requestProvider,
  model = 'm',
  nowMs = NOW - 1,
}: Asked): ResolvedTarget {
  if (plan.root.kind !== 'leaf') throw new Error('expected a leaf');
  return resolveTarget(plan.root, {
    request: fakeRequest(request),
    caller: { workspace: { name: 'team-a' } } as unknown as Caller, // only these members are used
    snapshot: view as NonNullable<typeof view>, // just checked
    resolution: {
      plan,
      requestProvider,
      body: { kind: 'json' },
      headerOverrides: { customHost },
    } as unknown as Resolution, // as above
    providers: PROVIDERS,
    hosts: policy,
    operation: OPERATIONS.chatComplete,
    params: { model },
    model,
    nowMs,
  });
}
const codeOf = (asked: Asked): string => {
  try {
    resolve(asked);
    return 'resolved';
  } catch (error) {
    return (error as AppError).code;
  }
};
const originOf = ({ target }: ResolvedTarget): string => {
  const { origin, prefix } = baseOf(target, sampleCall());
  return origin + prefix;
};

function unwrapProvider(id: string): Provider {
  const provider = PROVIDERS.get(id);
  if (provider === undefined) throw new Error(`no provider ${id}`);
  return provider;
}

describe('a managed target', () => {
  test('is the one that was prepared with the Snapshot when nothing is added', () => {
    const resolved = resolve({ target: { provider: '@main' } });
    expect(resolved.target).toBe(view.provider('team-a', 'main')?.target);
    expect(resolved).toMatchObject({ hostOrigin: 'resource', managed: { slug: 'main' } });
  });

  test('keeps its own headers under another host', () => {
    const resolved = resolve({ target: { provider: '@main' }, customHost: 'https://header.example/v1' });
    expect([...resolved.target.customHeaders].map(([name, value]) => [name, value.reveal()])).toEqual([
      ['x-team', 'a'],
    ]);
  });

  test.for<{ rule: string; asked: Asked; code: string }>([
    { rule: 'gone since the request began', asked: { target: { provider: '@gone' } }, code: 'PROVIDER_SLUG_UNKNOWN' },
    { rule: 'expired at its time', asked: { target: { provider: '@expiring' }, nowMs: NOW }, code: 'PROVIDER_EXPIRED' },
    { rule: 'not expired before', asked: { target: { provider: '@expiring' }, nowMs: NOW - 1 }, code: 'resolved' },
    { rule: 'of another model', asked: { target: { provider: '@narrow' }, model: 'x' }, code: 'MODEL_NOT_ALLOWED' },
    { rule: 'of an allowed model', asked: { target: { provider: '@narrow' }, model: 'm' }, code: 'resolved' },
    { rule: 'without a model', asked: { target: { provider: '@narrow' }, model: '' }, code: 'MODEL_NOT_ALLOWED' },
    { rule: 'at a metadata address', asked: { target: { provider: '@metadata' } }, code: 'CUSTOM_HOST_REFUSED' },
  ])('$rule: $code', ({ asked, code }) => {
    expect(codeOf(asked)).toBe(code);
  });
});

describe('a managed target of several calls', () => {
  const plan = planOf({ provider: '@main' });

  test('is resolved once', () => {
    expect(resolve({ plan })).toBe(resolve({ plan }));
  });

  test('is at the host of a header for that call alone', () => {
    const before = resolve({ plan });
    const elsewhere = resolve({ plan, customHost: 'https://header.example/v1' });
    expect([before, elsewhere, resolve({ plan })].map(originOf)).toEqual([
      'http://vllm.team-a.svc/v1',
      'https://header.example/v1',
      'http://vllm.team-a.svc/v1',
    ]);
  });

  test('has the field of a header for that call alone', () => {
    const request = { headers: { 'openai-beta': 'b' } };
    const betas = [{}, request, {}].map((each) => resolve({ plan, request: each }).target.fields.text('openai_beta'));
    expect(betas).toEqual([undefined, 'b', undefined]);
  });

  test('is refused from the time on at which its account expires', () => {
    const expiring = planOf({ provider: '@expiring' });
    expect(codeOf({ plan: expiring, nowMs: NOW - 1 })).toBe('resolved');
    expect(codeOf({ plan: expiring, nowMs: NOW })).toBe('PROVIDER_EXPIRED');
  });

  test('is refused for a model that its account does not admit, whatever was called before', () => {
    const narrow = planOf({ provider: '@narrow' });
    expect(codeOf({ plan: narrow, model: 'm' })).toBe('resolved');
    expect(codeOf({ plan: narrow, model: 'x' })).toBe('MODEL_NOT_ALLOWED');
  });

  test('is judged by the policy that is asked', () => {
    const own = planOf({ provider: '@own' });
    const trusting = createHostPolicy({ trustedCustomHosts: '10.1.2.3', production: true });
    const wary = createHostPolicy({ trustedCustomHosts: undefined, production: true, ownAddresses: [GATEWAY] });
    expect(codeOf({ plan: own, policy: trusting })).toBe('resolved');
    expect(codeOf({ plan: own, policy: wary })).toBe('CUSTOM_HOST_REFUSED');
  });
});

describe('a target that takes its provider from the request', () => {
  const openai = PROVIDERS.get('openai');
  if (openai === undefined) throw new Error('no provider');
  const named: RequestProvider = { kind: 'named', provider: openai, fields: new Map([['api_key', 'sk']]) };

  test('has what the request names', () => {
    expect(resolve({ target: { retry: { attempts: 1 } }, requestProvider: named }).target.provider.id).toBe('openai');
  });

  test('needs a managed one when it passes through', () => {
    const record = view.provider('team-a', 'main');
    if (record === undefined) throw new Error('no record');
    expect(codeOf({ target: { passthrough: true } })).toBe('PROVIDER_REQUIRED');
    expect(codeOf({ target: { passthrough: true }, requestProvider: named })).toBe('PROVIDER_REQUIRED');
    expect(resolve({ target: { passthrough: true }, requestProvider: { kind: 'managed', record } }).managed).toBe(
      record,
    );
  });
});

describe('the host of a target', () => {
  const host = (name: string): string => `https://${name}.example/v1`;

  test.for<{ rule: string; asked: Asked; want: string; origin: string }>([
    {
      rule: 'is that of the header first, which is the request',
      asked: { target: { provider: '@main', custom_host: host('config') }, saved: true, customHost: host('header') },
      want: host('header'),
      origin: 'request',
    },
    {
      rule: 'is that of a saved config next, which is a resource',
      asked: { target: { provider: '@main', custom_host: host('config') }, saved: true },
      want: host('config'),
      origin: 'resource',
    },
    {
      rule: 'is that of an inline config next, which is the request',
      asked: { target: { provider: '@main', custom_host: `${host('config')}/` } },
      want: host('config'),
      origin: 'request',
    },
    {
      rule: 'is that of the account next, which is a resource',
      asked: { target: { provider: '@main' } },
      want: 'http://vllm.team-a.svc/v1',
      origin: 'resource',
    },
    {
      rule: 'is that of the provider at last',
      asked: { target: { provider: '@plain' } },
      want: 'https://api.openai.com/v1',
      origin: 'resource',
    },
    {
      rule: 'of a literal provider belongs to the request',
      asked: { target: { provider: 'openai', api_key: 'k' } },
      want: 'https://api.openai.com/v1',
      origin: 'request',
    },
    {
      rule: 'of a provider with the key of the request belongs to the request, under a saved config too',
      asked: {
        target: { retry: { attempts: 1 } },
        saved: true,
        requestProvider: {
          kind: 'named',
          provider: unwrapProvider('huggingface'),
          fields: new Map([
            ['api_key', 'k'],
            ['huggingface_base_url', host('hugging')],
          ]),
        },
      },
      want: `${host('hugging')}`,
      origin: 'request',
    },
  ])('$rule', ({ asked, want, origin }) => {
    const resolved = resolve(asked);
    expect(originOf(resolved)).toBe(want);
    expect(resolved.hostOrigin).toBe(origin);
  });
});

describe('a stored credential', () => {
  const host = 'https://other.example/v1';
  const address = { huggingface_base_url: host };

  test.for<{ rule: string; asked: Asked; code: string }>([
    {
      rule: 'does not follow a header',
      asked: { target: { provider: '@plain' }, customHost: host },
      code: 'CUSTOM_HOST_REFUSED',
    },
    {
      rule: 'of a saved config does not either',
      asked: { target: { provider: 'openai', api_key: 'k' }, saved: true, customHost: host },
      code: 'CUSTOM_HOST_REFUSED',
    },
    {
      rule: 'does not follow an inline config',
      asked: { target: { provider: '@plain', custom_host: host } },
      code: 'CUSTOM_HOST_REFUSED',
    },
    {
      rule: 'follows a saved config of its workspace',
      asked: { target: { provider: '@plain', custom_host: host }, saved: true },
      code: 'resolved',
    },
    {
      rule: 'of the organisation does not',
      asked: { target: { provider: '@shared', custom_host: host }, saved: true },
      code: 'CUSTOM_HOST_REFUSED',
    },
    {
      rule: 'does not follow an address among the settings of an inline config',
      asked: { target: { provider: '@hf', ...address } },
      code: 'CUSTOM_HOST_REFUSED',
    },
    {
      rule: 'follows one of a saved config',
      asked: { target: { provider: '@hf', ...address }, saved: true },
      code: 'resolved',
    },
    {
      rule: 'of the client goes anywhere',
      asked: { target: { provider: 'openai', api_key: 'k' }, customHost: host },
      code: 'resolved',
    },
  ])('$rule: $code', ({ asked, code }) => {
    expect(codeOf(asked)).toBe(code);
  });

  test.for([
    { rule: 'wins over an inline config', saved: false, want: ['res', 'added'] },
    { rule: 'is changed by a saved one', saved: true, want: ['theirs', 'added'] },
  ])('has settings: what is stored $rule', ({ saved, want }) => {
    const target = { provider: '@azure', resource_name: 'theirs', azure_region: 'added' };
    const { fields } = resolve({ target, saved }).target;
    expect([fields.text('resource_name'), fields.text('azure_region')]).toEqual(want);
  });
});

describe('a deployment', () => {
  const fields = (asked: Asked) => {
    const { target } = resolve(asked);
    return [target.fields.text('deployment_id'), target.fields.text('api_version')];
  };

  test.for<{ rule: string; asked: Asked; want: unknown[] }>([
    { rule: 'is found by alias', asked: { target: { provider: '@azure' }, model: 'gpt' }, want: ['dep-a', 'v1'] },
    { rule: 'is the default otherwise', asked: { target: { provider: '@azure' }, model: 'x' }, want: ['dep-b', 'v0'] },
    {
      rule: 'of the config comes before those of the account',
      asked: {
        target: { provider: '@azure', deployments: [{ deployment_id: 'own', is_default: true }] },
        model: 'gpt',
        saved: true,
      },
      want: ['own', 'v0'],
    },
  ])('$rule', ({ asked, want }) => {
    expect(fields(asked)).toEqual(want);
  });

  test('that is not there is an error', () => {
    expect(codeOf({ target: { provider: '@azure-strict' }, model: 'x' })).toBe('DEPLOYMENT_UNKNOWN');
  });
});

describe('fields', () => {
  test('of a saved config lie over those of the account', () => {
    const { target } = resolve({
      target: { provider: '@azure', api_version: 'of-config', azure_auth_mode: 'entra' },
      request: { headers: { 'x-gw-azure-api-version': 'of-call' } },
      saved: true,
      model: 'x',
    });
    expect(target.fields.text('resource_name')).toBe('res');
    expect(target.fields.text('azure_auth_mode')).toBe('entra');
    expect(target.fields.secret('api_key')?.reveal()).toBe('sk-azure');
  });

  test.for<{ rule: string; target: object; code: string }>([
    { rule: 'a setting', target: { provider: '@azure', openai_beta: 'b' }, code: 'resolved' },
    { rule: 'an identity', target: { provider: '@azure', azure_auth_mode: 'entra' }, code: 'ACCOUNT_SETTING_REFUSED' },
    { rule: 'a credential', target: { provider: '@azure', azure_ad_token: 't' }, code: 'ACCOUNT_SETTING_REFUSED' },
    { rule: 'a tenant', target: { provider: '@plain', openai_project: 'p' }, code: 'ACCOUNT_SETTING_REFUSED' },
    {
      rule: 'deployments',
      target: { provider: '@azure', deployments: [{ deployment_id: 'd' }] },
      code: 'ACCOUNT_SETTING_REFUSED',
    },
  ])('that an inline config adds to an account: $rule is $code', ({ target, code }) => {
    expect(codeOf({ target, model: 'x' })).toBe(code);
  });

  test('of a header fill the routing of an account whose credential came along, and of no other', () => {
    const request = { headers: { 'x-gw-aws-region': 'eu-west-1', 'x-gw-aws-service': 's3' } };
    const own = { provider: 'bedrock', aws_access_key_id: 'a', aws_secret_access_key: 's', aws_service: 'bedrock' };
    const inline = resolve({ target: own, request }).target.fields;
    expect([inline.text('aws_region'), inline.text('aws_service')]).toEqual(['eu-west-1', 'bedrock']);
    expect(resolve({ target: own, request, saved: true }).target.fields.text('aws_region')).toBeUndefined();
  });
});
