import { describe, expect, test } from 'vitest';
import { indexPublished } from '../../incremental/index.ts';
import { type TestObject, worldOf } from '../../test-world.ts';
import { type Translation, translate } from '../../translate.ts';
import type { AllowedHosts } from '../../types/index.ts';
import { isAllowedHost, parseHostPattern, staysWithin } from './custom-hosts.ts';

describe('a pattern of hosts', () => {
  test.for([
    { pattern: 'Example.com', host: 'example.com' },
    { pattern: ' *.example.com ', host: 'example.com' },
    { pattern: 'https://vllm.models:8000/v1', host: 'vllm.models' },
    { pattern: 'localhost', host: 'localhost' },
    { pattern: '10.0.0.1:80', host: '10.0.0.1' },
    { pattern: '0x7f.1', host: '127.0.0.1' },
    { pattern: '::1', host: '[::1]' },
    { pattern: '[0:0::1]:8000', host: '[::1]' },
    { pattern: '*.10.0.0.1', host: undefined },
    { pattern: 'a.*.com', host: undefined },
    { pattern: '*', host: undefined },
    { pattern: 'under_score.com', host: undefined },
    { pattern: '', host: undefined },
  ])('$pattern names $host', ({ pattern, host }) => {
    expect(parseHostPattern(pattern)).toBe(host);
  });

  test.for([
    { url: 'https://example.com/v1', is: true },
    { url: 'https://a.b.EXAMPLE.com:8443/v1', is: true },
    { url: 'https://example.com./v1', is: true },
    { url: 'https://badexample.com', is: false },
    { url: 'https://example.com.evil.org', is: false },
    { url: 'https://example.com@evil.org', is: false },
    { url: 'http://10.0.0.1/v1', is: true },
    { url: 'http://0xa.1/v1', is: true },
    { url: 'http://110.0.0.1/v1', is: false },
    { url: 'no url', is: false },
  ])('decides about $url', ({ url, is }) => {
    expect(isAllowedHost(url, ['example.com', '10.0.0.1'])).toBe(is);
    expect(isAllowedHost(url, [])).toBe(true);
  });
});

const INSIDE = 'http://vllm.models.svc/v1';
const OUTSIDE = 'https://elsewhere.example';
const inTeam = (name: string) => ({ name, namespace: 'team' });

const objectsWith = (customHost: string): readonly TestObject[] => [
  { kind: 'Workspace', metadata: { name: 'team' }, spec: { namespace: 'team' } },
  { kind: 'VirtualKey', metadata: inTeam('account'), spec: { provider: 'openai', customHost } },
  { kind: 'Integration', metadata: inTeam('shared'), spec: { provider: 'openai', customHost } },
  { kind: 'Provider', metadata: inTeam('lent'), spec: { integrationRef: { name: 'shared' } } },
  {
    kind: 'GatewayConfig',
    metadata: inTeam('nested'),
    spec: {
      config: {
        strategy: { mode: 'fallback' },
        targets: [{ provider: '@account' }, { provider: 'openai', customHost }],
      },
    },
  },
];

const world = (customHost: string, allowedHosts: AllowedHosts) =>
  worldOf(objectsWith(customHost), { settings: { allowedHosts } });

const refused = ({ verdicts }: Translation) =>
  verdicts.flatMap(({ key, issues }) => issues.map(({ condition, reason, path }) => [key, condition, reason, path]));

const serving = ({ snapshot }: Translation) =>
  snapshot.entries.filter(({ kind }) => kind === 'provider' || kind === 'config').map(({ id }) => id);

const ALL = ['config/team/nested', 'provider/team/account', 'provider/team/lent'];

describe('hosts that resources name', () => {
  test.for([
    { rule: 'are all allowed without a list', allowedHosts: [], customHost: OUTSIDE },
    { rule: 'are allowed below a name of the list', allowedHosts: ['models.svc'], customHost: INSIDE },
  ])('$rule', ({ allowedHosts, customHost }) => {
    const translation = translate(world(customHost, allowedHosts));
    expect(refused(translation)).toEqual([]);
    expect(serving(translation)).toEqual(ALL);
  });

  test('are refused beyond it, with their places', () => {
    const translation = translate(world(OUTSIDE, ['models.svc']));
    expect(refused(translation)).toEqual([
      ['GatewayConfig/team/nested', 'Accepted', 'Invalid', ['spec', 'config', 'targets', 1, 'customHost']],
      ['Integration/team/shared', 'Accepted', 'Invalid', ['spec', 'customHost']],
      ['Provider/team/lent', 'ResolvedRefs', 'RefNotFound', ['spec', 'integrationRef', 'name']],
      ['VirtualKey/team/account', 'Accepted', 'Invalid', ['spec', 'customHost']],
    ]);
    expect(serving(translation)).toEqual([]);
  });

  test('keep the last good entries where they are refused', () => {
    const before = translate(world(INSIDE, ['models.svc']));
    const after = translate(world(OUTSIDE, ['models.svc']), before);
    expect(serving(after)).toEqual(ALL);
    expect(JSON.stringify(after.snapshot)).not.toContain(OUTSIDE);
  });

  test('are not served any more once the list has become shorter', () => {
    const { snapshot } = translate(world(OUTSIDE, []));
    const after = translate(
      world(OUTSIDE, ['models.svc']),
      undefined,
      indexPublished(snapshot.entries, (entry) => staysWithin(entry, ['models.svc'])),
    );
    expect(JSON.stringify(after.snapshot)).not.toContain(OUTSIDE);
  });
});

describe('hosts that no gateway sends anything to', () => {
  const settings = { allowedHosts: [], fleetNamespaces: ['gatehouse-gateways'] };
  test.for([
    { rule: 'no URL', host: 'http://' },
    { rule: 'user info', host: 'http://user:pw@models.example' },
    { rule: 'a name beyond ASCII', host: 'http://exämple.de' },
    { rule: 'another notation of IPv4', host: 'http://0x7f.1' },
    { rule: 'a metadata address', host: 'http://169.254.169.254/latest' },
    { rule: 'a metadata address inside IPv6', host: 'http://[::ffff:169.254.169.254]' },
    { rule: 'a metadata name', host: 'http://metadata.google.internal' },
    { rule: 'the Kubernetes API', host: 'http://kubernetes.default.svc' },
    { rule: 'the admin port of gateways', host: 'http://127.0.0.1:8789' },
    { rule: 'a port of another service', host: 'http://gatehouse-redis.elsewhere:6379' },
    { rule: 'the operator', host: 'http://gatehouse-operator.gatehouse-system:8081' },
    { rule: 'the Redis of the installation', host: 'http://gatehouse-redis.gatehouse-system.svc' },
    { rule: 'gateways', host: 'http://default-gateway.gatehouse-gateways.svc.cluster.local:8787' },
  ])('are refused where they are written: $rule', ({ host }) => {
    const translation = translate(worldOf(objectsWith(host), { settings }));
    expect(refused(translation)).toEqual(
      expect.arrayContaining([
        ['GatewayConfig/team/nested', 'Accepted', 'Invalid', ['spec', 'config', 'targets', 1, 'customHost']],
        ['Integration/team/shared', 'Accepted', 'Invalid', ['spec', 'customHost']],
        ['VirtualKey/team/account', 'Accepted', 'Invalid', ['spec', 'customHost']],
      ]),
    );
    expect(serving(translation)).toEqual([]);
  });

  test.for([
    'http://127.0.0.1:11434', // a model beside a sidecar
    'http://10.0.0.7:8000',
    'http://ollama:11434',
    'http://host.docker.internal:11434', // for fleets that trust it
    INSIDE,
  ])('are not those that some gateway may use: %s', (host) => {
    expect(refused(translate(worldOf(objectsWith(host), { settings })))).toEqual([]);
  });

  test.for([
    { rule: 'no gateway uses them', url: 'http://169.254.169.254', allowedHosts: [] },
    { rule: 'the installation does not allow them', url: 'https://elsewhere.example', allowedHosts: ['azure.com'] },
  ])('are refused in the settings of a provider too: $rule', ({ url, allowedHosts }) => {
    const secretRef = { name: 'azure', key: 'key' };
    const account = { provider: 'azure-ai', secretRef, settings: { azure_foundry_url: url } };
    const objects = [
      { kind: 'Workspace', metadata: { name: 'team' }, spec: { namespace: 'team' } },
      { kind: 'Secret', metadata: inTeam('azure'), stringData: { key: 'k' } },
      { kind: 'VirtualKey', metadata: inTeam('account'), spec: account },
      { kind: 'GatewayConfig', metadata: inTeam('direct'), spec: { config: account } },
    ];
    expect(refused(translate(worldOf(objects, { settings: { allowedHosts } })))).toEqual([
      ['GatewayConfig/team/direct', 'Accepted', 'Invalid', ['spec', 'config', 'settings', 'azure_foundry_url']],
      ['VirtualKey/team/account', 'Accepted', 'Invalid', ['spec', 'settings', 'azure_foundry_url']],
    ]);
  });
});
