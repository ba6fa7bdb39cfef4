/** The route to the fleet, judged by the definitions of the Gateway API, from the oldest that serves it to the newest. */
import { isObject } from '@gatehouse/crds';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type ControlPlane, runKubectl, startControlPlane } from '../cluster/index.ts';
import { clusterGuideBlocks } from '../docs/documents.ts';
import { LOOPBACK_PEM } from '../kit/tls.ts';
import { waitFor } from '../kit/wait-for.ts';
import { startOperator } from '../operator/operator/operator-process.ts';
import {
  foreignDefinitions,
  GATEWAY_API,
  GATEWAY_API_CHANNELS,
  type GatewayApiChannel,
  type GatewayApiVersion,
  gatewayApi,
} from './foreign-definitions.ts';
import {
  at,
  CHART,
  CRD_CHART,
  definitionsServed,
  FLEET_NAMESPACE,
  type Manifest,
  NAMESPACE,
  RELEASE,
  render,
  runHelm,
  type Values,
} from './helm.ts';

const GROUP = 'gateway.networking.k8s.io';
const STRICT = ['apply', '--server-side', '--dry-run=server', '--validate=strict', '--output=json', '-f', '-'];
const TLS_LISTENER = { name: 'https', port: 8443, tlsSecretRef: { name: 'gateway-tls' } };
const PARENT = { name: 'public', namespace: 'gateways' };
/** What has come to the definitions since the oldest version. */
type Needs = 'timeouts' | 'policies';

interface Case {
  readonly rule: string;
  readonly route: Values;
  readonly values?: Values;
  readonly needs?: readonly Needs[];
}

const BACKEND_TLS: Pick<Case, 'values' | 'needs'> = {
  values: { defaultFleet: { spec: { listeners: [TLS_LISTENER] } } },
  needs: ['policies'],
};

const CASES: readonly Case[] = [
  { rule: 'to a Gateway of its own namespace', route: { parentRefs: [{ name: 'public' }] } },
  { rule: 'to a Gateway of another namespace', route: { parentRefs: [PARENT] } },
  { rule: 'to one listener of a Gateway', route: { parentRefs: [{ ...PARENT, sectionName: 'https' }] } },
  {
    rule: 'to two listeners of one Gateway and to another one',
    route: {
      parentRefs: [
        { ...PARENT, sectionName: 'https' },
        { ...PARENT, sectionName: 'internal' },
        { name: 'mesh', group: GROUP, kind: 'Gateway' },
      ],
    },
  },
  {
    rule: 'of host names',
    route: { parentRefs: [PARENT], hostnames: ['ai.example.com', '*.ai.example.com'] },
  },
  {
    rule: 'with annotations and labels',
    route: { parentRefs: [PARENT], annotations: { 'example.com/owner': 'platform' } },
    values: { commonLabels: { team: 'platform' } },
  },
  {
    rule: 'to a fleet of another name and port',
    route: { parentRefs: [PARENT] },
    values: { defaultFleet: { name: 'main', namespace: 'edge', spec: { listeners: [{ name: 'web', port: 8080 }] } } },
  },
  {
    rule: 'to a fleet that comes from elsewhere',
    route: { parentRefs: [PARENT] },
    values: { defaultFleet: { enabled: false, name: 'main', namespace: 'edge' } },
  },
  { rule: 'without a timeout', route: { parentRefs: [PARENT], requestTimeout: '0s' }, needs: ['timeouts'] },
  { rule: 'with a timeout', route: { parentRefs: [PARENT], requestTimeout: '1h30m' }, needs: ['timeouts'] },
  {
    rule: 'over TLS with the authorities of the system',
    route: { parentRefs: [PARENT], backendTLS: { enabled: true } },
    ...BACKEND_TLS,
  },
  {
    rule: 'over TLS with authorities and a name of its own',
    route: {
      parentRefs: [PARENT],
      requestTimeout: '0s',
      backendTLS: { enabled: true, hostname: 'gateway.example.com', caConfigMap: 'gateway-ca' },
    },
    ...BACKEND_TLS,
    needs: ['timeouts', 'policies'],
  },
];

const REFUSED: readonly { readonly rule: string; readonly route: Values; readonly by: string }[] = [
  { rule: 'twice to the same Gateway', route: { parentRefs: [PARENT, PARENT] }, by: 'sectionName' },
  { rule: 'with a misspelt parent', route: { parentRefs: [{ ...PARENT, section: 'https' }] }, by: 'unknown field' },
  { rule: 'of an address', route: { parentRefs: [PARENT], hostnames: ['ai.example.com:443'] }, by: 'hostnames' },
];

const VERSIONS: readonly { readonly version: GatewayApiVersion; readonly lacks: readonly Needs[] }[] = [
  { version: 'v1.0.0', lacks: ['timeouts', 'policies'] },
  { version: 'v1.2.1', lacks: ['policies'] },
  { version: 'v1.4.0', lacks: [] },
  { version: 'v1.7.0', lacks: [] },
];

let controlPlane: ControlPlane;
beforeAll(async () => {
  controlPlane = await startControlPlane();
  for (const name of [NAMESPACE, FLEET_NAMESPACE, 'edge'])
    await runKubectl(controlPlane, ['create', 'namespace', name]);
});
afterAll(() => controlPlane[Symbol.asyncDispose]());

const isGatewayApi = ({ apiVersion }: Manifest): boolean => apiVersion.startsWith(`${GROUP}/`);

/** What the chart makes of the Gateway API. */
async function routed({ route, values }: Pick<Case, 'route' | 'values'>): Promise<Manifest[]> {
  return (await render({ ...values, httpRoute: { enabled: true, ...route } })).filter(isGatewayApi);
}

/** Strictly: with the rules of the schema, and nothing in it that the schema does not know. */
const judge = (objects: readonly Manifest[]) =>
  controlPlane.kubectl(STRICT, { input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }) });

/** Of each definition a path below /apis/ that it serves. */
const SERVED =
  '{range .items[*]}{.spec.group}/{.spec.versions[?(@.storage==true)].name}/{.spec.names.plural}{"\\n"}{end}';

/** These definitions alone; others that were there are gone. */
async function define(version: GatewayApiVersion, channel: GatewayApiChannel): Promise<void> {
  const all = await runKubectl(controlPlane, ['get', 'crd', '--output=name']);
  const old = all.split('\n').filter((name) => name.endsWith(`.${GROUP}`));
  if (old.length > 0) await runKubectl(controlPlane, ['delete', '--wait', ...old]);
  const files = (await foreignDefinitions([gatewayApi(version, channel)])).flatMap((file) => ['-f', file]);
  await runKubectl(controlPlane, ['apply', '--server-side', ...files]);
  await definitionsServed(controlPlane);
  // An established definition is served a moment later.
  const served = (await runKubectl(controlPlane, ['get', 'crd', `--output=jsonpath=${SERVED}`])).split('\n');
  for (const path of served.filter((line) => line.startsWith(`${GROUP}/`)))
    await waitFor(async () => (await controlPlane.request('GET', `/apis/${path}`)).status === 200, { what: path });
}

const GUIDE_GRANT = clusterGuideBlocks()
  .filter(({ language }) => language === 'yaml')
  .flatMap(({ text }) => text.split(/^---$/m))
  .find((text) => text.includes('kind: ReferenceGrant'));

describe.for(VERSIONS.flatMap((of) => GATEWAY_API_CHANNELS.map((channel) => ({ ...of, channel }))))(
  'the Gateway API $version, $channel channel',
  ({ version, channel, lacks }) => {
    beforeAll(() => define(version, channel));

    test('takes every route of the chart that it can express', async () => {
      // The experimental channel of the oldest version has what became standard later, but not the policy as v1.
      const missing = channel === 'standard' ? lacks : lacks.filter((feature) => feature !== 'timeouts');
      for (const { rule, needs = [], ...given } of CASES) {
        const objects = await routed(given);
        const { code, stdout, stderr } = await judge(objects);
        const isMissing = needs.some((feature) => missing.includes(feature));
        expect(code === 0, `${rule}: ${stderr}`).toBe(!isMissing);
        if (isMissing) continue;
        const answer: unknown = JSON.parse(stdout);
        const kept = isObject(answer) && Array.isArray(answer['items']) ? answer['items'] : [answer];
        for (const [index, { spec }] of objects.entries())
          expect(at(kept[index], 'spec'), rule).toMatchObject(Object(spec));
      }
    });

    test('refuses what it has no rule for', async () => {
      for (const { rule, route, by } of REFUSED) {
        const { code, stderr } = await judge(await routed({ route }));
        expect([rule, code]).toEqual([rule, 1]);
        expect(stderr).toContain(by);
      }
    });

    test('serves ReferenceGrant in the version that the operator reads, and takes the one of the guide', async () => {
      const path = `/apis/${GROUP}/v1beta1/referencegrants`;
      await waitFor(async () => (await controlPlane.request('GET', path)).status === 200, { what: path });
      const grant = parse(GUIDE_GRANT ?? '');
      await runKubectl(controlPlane, STRICT, {
        input: JSON.stringify({ ...grant, metadata: { ...grant.metadata, namespace: 'edge' } }),
      });
    });
  },
);

describe('an installation with a route', () => {
  const ROUTE = `/apis/${GROUP}/v1/namespaces/${FLEET_NAMESPACE}/httproutes/gatehouse`;
  const POLICY = `/apis/${GROUP}/v1/namespaces/${FLEET_NAMESPACE}/backendtlspolicies/gatehouse`;
  const SERVICE = `/api/v1/namespaces/${FLEET_NAMESPACE}/services/default-gateway`;

  async function get(path: string): Promise<unknown> {
    const { status, body } = await controlPlane.request('GET', path);
    return status === 404 ? undefined : body;
  }

  const upgrade = (values: Values): Promise<string> =>
    runHelm(['upgrade', '--install', RELEASE, CHART, '--namespace', NAMESPACE], {
      kubeconfig: controlPlane.kubeconfigPath,
      values: { ...values, defaultFleet: { ...Object(values['defaultFleet']), createNamespace: false } },
    });

  const portsOf = (service: unknown): readonly unknown[] => {
    const ports = at(service, 'spec.ports');
    return Array.isArray(ports) ? ports : [];
  };

  /** As a Gateway's controller does: every backend is a Service of the route's namespace, with that port. */
  async function leadsToService(): Promise<void> {
    const route = await get(ROUTE);
    const backend = at(route, 'spec.rules.0.backendRefs.0');
    expect(at(route, 'spec.rules')).toHaveLength(1);
    expect(at(route, 'spec.rules.0.backendRefs')).toHaveLength(1);
    expect(backend).toMatchObject({ group: '', kind: 'Service', weight: 1 });
    expect(at(backend, 'namespace')).toBeUndefined();
    const service = await get(SERVICE.replace(/[^/]+$/, String(at(backend, 'name'))));
    expect(portsOf(service).map((port) => at(port, 'port'))).toContain(at(backend, 'port'));
  }

  const portBecomes = (port: number): Promise<unknown> =>
    waitFor(async () => portsOf(await get(SERVICE)).some((item) => at(item, 'port') === port), {
      what: `a Service with port ${port}`,
    });

  /** What a Gateway's controller writes that cannot take the route. */
  async function refuseRoute(): Promise<void> {
    const now = '2026-01-01T00:00:00Z';
    const turned = ['Accepted', 'ResolvedRefs'].map((type) => ({
      ...{ type, status: 'False', reason: 'NotAllowedByListeners', message: 'no listener admits the namespace' },
      ...{ lastTransitionTime: now, observedGeneration: 1 },
    }));
    const parents = [{ parentRef: PARENT, controllerName: 'example.com/controller', conditions: turned }];
    const { status } = await controlPlane.request('PATCH', `${ROUTE}/status`, {
      body: { status: { parents } },
      contentType: 'application/merge-patch+json',
    });
    expect(status).toBe(200);
  }

  beforeAll(async () => {
    await define('v1.7.0', 'standard');
    expect(GATEWAY_API.version).toBe('v1.7.0');
    await runHelm(['install', 'gatehouse-crds', CRD_CHART, '--namespace', NAMESPACE], {
      kubeconfig: controlPlane.kubeconfigPath,
    });
    await definitionsServed(controlPlane);
  });

  test('leads to the Service of the fleet, also after the listener changed, until it is switched off', async () => {
    const httpRoute = { enabled: true, parentRefs: [PARENT], requestTimeout: '0s' };
    await upgrade({ httpRoute });
    await using operator = await startOperator({
      kubeconfigPath: controlPlane.kubeconfigPath,
      args: ['--organisation-namespace', NAMESPACE, '--fleet-namespaces', FLEET_NAMESPACE, '--no-webhooks'],
    });
    await portBecomes(8787);
    await leadsToService();

    await refuseRoute();
    const refused = at(await get(ROUTE), 'status');
    await runKubectl(controlPlane, [
      ...['create', 'secret', 'generic', 'gateway-tls', `--namespace=${FLEET_NAMESPACE}`],
      ...['tls.crt', 'tls.key'].map((entry) => `--from-literal=${entry}=${LOOPBACK_PEM}`),
    ]);
    const spec = { listeners: [TLS_LISTENER] };
    await upgrade({ httpRoute: { ...httpRoute, backendTLS: { enabled: true } }, defaultFleet: { spec } });
    await portBecomes(8443);
    await leadsToService();
    // The verdict of the Gateway stays in the status of the route.
    expect(at(await get(ROUTE), 'status')).toEqual(refused);
    const target = at(await get(POLICY), 'spec.targetRefs.0');
    expect(target).toMatchObject({ group: '', kind: 'Service', name: 'default-gateway' });
    expect(portsOf(await get(SERVICE)).map((port) => at(port, 'name'))).toContain(at(target, 'sectionName'));

    await upgrade({ httpRoute: { enabled: false }, defaultFleet: { spec } });
    expect([await get(ROUTE), await get(POLICY)]).toEqual([undefined, undefined]);
    // The Service does not go with its route.
    expect(portsOf(await get(SERVICE))).toHaveLength(1);
    await operator.stop();
  });
});
