import { describe, expect, test } from 'vitest';
import { type TestObject, worldOf } from '../../test-world.ts';
import { translate } from '../../translate.ts';
import type { ServiceReading } from '../../types/index.ts';
import { serviceOfHost } from './reach.ts';

describe('the name of a Service', () => {
  const own = { name: 'vllm', namespace: 'team-a' };
  test.for([
    { host: 'vllm', want: own },
    { host: 'vllm.team-a', want: own },
    { host: 'vllm.team-a.svc', want: own },
    { host: 'vllm.team-a.svc.cluster.local', want: own },
    { host: 'vllm.team-b.svc', want: { name: 'vllm', namespace: 'team-b' } },
    { host: 'vllm.team-b', want: undefined },
    { host: 'pod-0.vllm.team-a.svc', want: null },
    { host: 'api.example.com', want: undefined },
    { host: 'vllm.team-a.svc.example.com', want: undefined },
    { host: '10.0.0.1', want: undefined },
    { host: 'fd00::1', want: undefined },
  ])('$host', ({ host, want }) => {
    expect(serviceOfHost(host, 'team-a', 'cluster.local')).toEqual(want);
  });
});

const PORTS: ServiceReading = { kind: 'ports', endpoints: new Map([[8000, ['10.0.0.1:8000']]]) };
const EXTERNAL: ServiceReading = { kind: 'external' };
const ABSENT: ServiceReading = { kind: 'absent' };

const account = (customHost: string, namespace = 'a'): TestObject => ({
  kind: 'VirtualKey',
  metadata: { name: 'local', namespace, generation: 1 },
  spec: { provider: 'ollama', customHost },
});
const WORKSPACE = { kind: 'Workspace', metadata: { name: 'team-a', generation: 1 }, spec: { namespace: 'a' } };

function judge(
  object: TestObject,
  { reading, more = [] }: { reading?: ServiceReading; more?: readonly TestObject[] } = {},
) {
  const world = worldOf([WORKSPACE, object, ...more], { settings: { clusterDomain: 'cluster.local' } });
  const services = new Map(reading === undefined ? [] : [['a/vllm', reading]]);
  const { snapshot, verdicts } = translate({ ...world, services });
  const entry = snapshot.entries.find(({ kind }) => kind === 'provider');
  const verdict = verdicts.find(({ kind }) => kind === 'VirtualKey');
  return {
    reach: entry?.kind === 'provider' ? entry.body.reach : undefined,
    served: entry !== undefined,
    refs: verdict?.conditions.ResolvedRefs.reason,
  };
}

describe('a host that a resource names', () => {
  const OWN = 'http://vllm.a.svc:8000/v1';

  test('is a Service of its namespace with the addresses of its pods', () => {
    const services = [{ host: 'vllm.a.svc', port: 8000, endpoints: ['10.0.0.1:8000'] }];
    expect(judge(account(OWN), { reading: PORTS })).toEqual({
      reach: { allowed: [], services },
      served: true,
      refs: 'ResolvedRefs',
    });
  });

  test.for([
    { rule: 'an ExternalName', url: OWN, reading: EXTERNAL, refs: 'RefNotPermitted' },
    { rule: 'absent', url: OWN, reading: ABSENT, refs: 'RefNotFound' },
    { rule: 'not read yet', url: OWN, reading: undefined, refs: 'Pending' },
    { rule: 'without the port', url: 'http://vllm.a.svc:9/v1', reading: PORTS, refs: 'RefNotFound' },
    { rule: "another tenant's", url: 'http://vllm.b.svc:8000/v1', reading: PORTS, refs: 'RefNotPermitted' },
  ])('leads nowhere when the Service is $rule', ({ url, reading, refs }) => {
    const judged = judge(account(url), reading === undefined ? {} : { reading });
    expect(judged).toMatchObject({ served: true, refs });
    expect(judged.reach?.services.flatMap(({ endpoints }) => endpoints)).toEqual([]);
    expect(judged.reach?.allowed).toEqual([]);
  });

  const opening = (workspaces?: readonly string[]): TestObject => ({
    kind: 'Organisation',
    metadata: { name: 'default', generation: 1 },
    spec: { tenantHosts: [{ host: 'models.svc', ...(workspaces && { workspaces }) }] },
  });
  test.for([
    { rule: 'for all', more: [opening()], allowed: ['vllm.models.svc'] },
    { rule: 'for its workspace', more: [opening(['team-a'])], allowed: ['vllm.models.svc'] },
    { rule: 'for another workspace', more: [opening(['team-b'])], allowed: [] },
  ])('may be one that the organisation opens $rule', ({ more, allowed }) => {
    expect(judge(account('http://vllm.models.svc:8000/v1'), { more }).reach?.allowed).toEqual(allowed);
  });

  test('has no finding where a fleet of the organisation trusts it', () => {
    const fleet = {
      kind: 'GatewayFleet',
      metadata: { name: 'main', namespace: 'gatehouse-system', generation: 1 },
      spec: { trustedHosts: ['vllm.models.svc'] },
    };
    expect(judge(account('http://vllm.models.svc:8000/v1'), { more: [fleet] }).refs).toBe('ResolvedRefs');
  });

  test('of the organisation leads anywhere inside the cluster', () => {
    expect(judge(account('http://vllm.models.svc:8000/v1', 'gatehouse-system'))).toMatchObject({
      served: true,
      reach: undefined,
    });
  });
});

test('what a broken resource keeps leads to the current pods', () => {
  const at = (address: string): ServiceReading => ({ kind: 'ports', endpoints: new Map([[8000, [address]]]) });
  const settings = { clusterDomain: 'cluster.local' };
  const translateWith = (object: TestObject, reading: ServiceReading, previous?: ReturnType<typeof translate>) =>
    translate({ ...worldOf([WORKSPACE, object], { settings }), services: new Map([['a/vllm', reading]]) }, previous);
  const first = translateWith(account('http://vllm.a.svc:8000/v1'), at('10.0.0.1:8000'));
  const broken = { ...account('http://vllm.a.svc:8000/v1'), spec: { provider: 7 } };
  const later = translateWith(broken, at('10.0.0.2:8000'), first);
  const entry = later.snapshot.entries.find(({ kind }) => kind === 'provider');
  expect(entry).toMatchObject({ stale: true, body: { reach: { services: [{ endpoints: ['10.0.0.2:8000'] }] } } });
});
