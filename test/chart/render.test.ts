import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { FLAGS, parseOptions } from '../../operator/src/config/index.ts';
import { at, CHART, CRD_CHART, find, idOf, NAMESPACE, render, renderText, runHelm, type Values } from './helm.ts';
import { EVERYTHING } from './values.ts';

const DIGEST = `sha256:${'ab'.repeat(32)}`;
/** In thousandths of a processor and MiB. */
const requesting = z.looseObject({
  resources: z.looseObject({
    requests: z.object({
      cpu: z
        .string()
        .endsWith('m')
        .transform((text) => Number.parseInt(text, 10)),
      memory: z
        .string()
        .endsWith('Mi')
        .transform((text) => Number.parseInt(text, 10)),
    }),
  }),
});
const PACKAGE = join(CHART, '../../crds/package.json');

describe('the charts', () => {
  test.for([CHART, CRD_CHART])('%s has no lint', async (chart) => {
    await runHelm(['lint', '--strict', chart]);
  });

  test.for([CHART, CRD_CHART])('%s has the version of the code', (chart) => {
    const { version, appVersion } = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8'));
    const code = JSON.parse(readFileSync(PACKAGE, 'utf8')).version;
    expect([version, appVersion]).toEqual([code, code]);
  });

  test('the definitions stay when the chart goes', async () => {
    const objects = await render({}, CRD_CHART);
    expect(objects.length).toBeGreaterThan(10);
    for (const { metadata } of objects) expect(metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
  });
});

describe('what is rendered', () => {
  test('with everything belongs to Gatehouse and its release', async () => {
    const objects = await render(EVERYTHING);
    const labels = { 'app.kubernetes.io/part-of': 'gatehouse', 'app.kubernetes.io/managed-by': 'Helm' };
    for (const { metadata } of objects) expect(metadata.labels).toMatchObject(labels);
    expect(new Set(objects.map(idOf)).size).toBe(objects.length);
  });

  test('is the same each time', async () => {
    expect(await render(EVERYTHING)).toEqual(await render(EVERYTHING));
  });

  test.for([
    'Deployment//gatehouse-operator',
    'Deployment//gatehouse-management',
    'StatefulSet//gatehouse-redis',
    'StatefulSet//gatehouse-postgres',
    'Job//gatehouse-retirement',
  ])('%s runs restricted', async (id) => {
    const workload = find(await render(), id.replace('//', `/${NAMESPACE}/`));
    const pod = at(workload, 'spec.template.spec');
    const user = { runAsUser: 65_532, runAsGroup: 65_532, fsGroup: 65_532 };
    expect(at(pod, 'securityContext')).toEqual({
      ...user,
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(at(pod, 'containers.0.securityContext')).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  test('costs what the guide says beside the gateways', async () => {
    const costOf = async (values: Values) => {
      const workloads = (await render(values)).filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');
      const parts = workloads.flatMap((workload) => {
        const containers = z.array(requesting).parse(at(workload, 'spec.template.spec.containers'));
        const replicas = Number(at(workload, 'spec.replicas'));
        return containers.map(({ resources: { requests } }) => [requests.cpu * replicas, requests.memory * replicas]);
      });
      const sumOf = (i: number): number => parts.reduce((sum, part) => sum + (part[i] ?? 0), 0);
      const pods = workloads.reduce((sum, workload) => sum + Number(at(workload, 'spec.replicas')), 0);
      return { pods, cpu: sumOf(0), memory: sumOf(1) };
    };
    expect(await costOf({})).toEqual({ pods: 5, cpu: 400, memory: 1088 });
    expect(await costOf({ management: { enabled: false } })).toEqual({ pods: 3, cpu: 300, memory: 768 });
  });

  test.for([
    { image: {}, want: 'gatehouse-operator:0.1.0' },
    { image: { tag: '2' }, want: 'gatehouse-operator:2' },
    { image: { tag: '2', digest: DIGEST }, want: `gatehouse-operator@${DIGEST}` },
    { image: { repository: 'op' }, imageRegistry: 'registry.example.com/ai', want: 'registry.example.com/ai/op:0.1.0' },
  ])('runs $want', async ({ image, imageRegistry = '', want }) => {
    const objects = await render({ imageRegistry, operator: { image } });
    const deployment = find(objects, `Deployment/${NAMESPACE}/gatehouse-operator`);
    expect(at(deployment, 'spec.template.spec.containers.0.image')).toBe(want);
  });

  test('sets every variable the operator knows, and no other', async () => {
    const namespaces = { watchNamespaces: ['team-a'], crossNamespaceRefs: false, allowedCustomHosts: ['models'] };
    const objects = await render({
      ...namespaces,
      operator: { hostNetwork: true, vaultTokenAudience: 'vault' },
      networkPolicies: { nodeCIDRs: ['10.0.0.0/16'] },
      monitoring: { namespaces: ['monitoring'] },
      webhook: { certManager: { enabled: true }, clientCA: '-----BEGIN CERTIFICATE-----' },
    });
    const deployment = find(objects, `Deployment/${NAMESPACE}/gatehouse-operator`);
    const env = z
      .array(z.looseObject({ name: z.string() }))
      .parse(at(deployment, 'spec.template.spec.containers.0.env'))
      .map(({ name }) => name);
    const known = Object.values(FLAGS).flatMap((flag) => ('variable' in flag ? [flag.variable] : []));
    // Inside a cluster the service account is used; people and the request log are those of the management API; NODE_OPTIONS is Node's own.
    expect(env.filter((name) => name !== 'NODE_OPTIONS').sort()).toEqual(
      known
        .filter(
          (name) => !/^(KUBECONFIG|DATABASE_URL|LOG_STORE.*|GATEHOUSE_(AUDIT|OIDC|SESSION|PUBLIC|LOGS)_.*)$/.test(name),
        )
        .sort(),
    );
  });

  test('ends sidecars before it is removed, with the image and the account of the operator and without waiting for ever', async () => {
    const objects = await render({ watchNamespaces: ['team-a'], operator: { nodeSelector: { disk: 'ssd' } } });
    const hooks = objects.filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] !== undefined);
    expect(hooks.map(idOf)).toEqual([`Job/${NAMESPACE}/gatehouse-retirement`]);
    const [job] = hooks;
    expect(job?.metadata.annotations).toEqual({
      'helm.sh/hook': 'pre-delete',
      'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
    });
    const deployment = find(objects, `Deployment/${NAMESPACE}/gatehouse-operator`);
    const [pod, own] = [job, deployment].map((object) => at(object, 'spec.template.spec'));
    for (const same of ['serviceAccountName', 'securityContext', 'nodeSelector', 'containers.0.image'])
      expect(at(pod, same), same).toEqual(at(own, same));
    expect(at(pod, 'containers.0.args')).toEqual(['--retire']);
    expect(at(pod, 'hostNetwork')).toBeUndefined();
    const namesOf = (container: unknown) =>
      z
        .array(z.looseObject({ name: z.string(), value: z.string().optional() }))
        .parse(at(container, 'containers.0.env'));
    const watched = { name: 'GATEHOUSE_WATCH_NAMESPACES', value: 'team-a' };
    expect(namesOf(pod)).toContainEqual(watched);
    expect(namesOf(own)).toContainEqual(watched);
    expect(Number(at(job, 'spec.activeDeadlineSeconds'))).toBeLessThan(120);
    expect(at(job, 'spec.backoffLimit')).toBe(1);
    // Neither webhooks nor sidecars may be sent to it.
    const labels = at(job, 'spec.template.metadata.labels');
    expect(labels).not.toMatchObject(Object(at(deployment, 'spec.selector.matchLabels')));
  });

  test('runs the operator on the network of its nodes where the API server reaches no pods', async () => {
    const ports = { webhook: 10_260, metrics: 10_262 };
    const objects = await render({ operator: { hostNetwork: true, ports } });
    const deployment = find(objects, `Deployment/${NAMESPACE}/gatehouse-operator`);
    const pod = at(deployment, 'spec.template.spec');
    expect(pod).toMatchObject({ hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' });
    expect(at(pod, 'containers.0.args')).toEqual([
      '--health-port=10262',
      '--snapshot-port=9090',
      '--webhook-port=10260',
    ]);
    expect(at(pod, 'containers.0.ports')).toEqual([
      { name: 'metrics', containerPort: 10_262 },
      { name: 'snapshot', containerPort: 9090 },
      { name: 'webhook', containerPort: 10_260 },
    ]);
    // Two pods with the same ports cannot be on one node.
    expect(at(deployment, 'spec.strategy.rollingUpdate')).toEqual({ maxUnavailable: 1, maxSurge: 0 });
    const service = find(objects, `Service/${NAMESPACE}/gatehouse-operator`);
    expect(at(service, 'spec.ports.0')).toMatchObject({ port: 9443, targetPort: 'webhook' });
  });

  test('takes only flags that the operator knows', async () => {
    const objects = await render({ operator: { extraArgs: ['--log-level=debug'] } });
    const args = z
      .array(z.string())
      .parse(at(find(objects, `Deployment/${NAMESPACE}/gatehouse-operator`), 'spec.template.spec.containers.0.args'));
    expect(parseOptions(args, {})).toMatchObject({ ok: true, value: { logLevel: 'debug', webhookPort: 9443 } });
    const job = find(objects, `Job/${NAMESPACE}/gatehouse-retirement`);
    expect(at(job, 'spec.template.spec.containers.0.args')).toEqual(['--retire', '--log-level=debug']);
  });

  test.for([
    { rule: 'of the chart', account: {}, name: 'gatehouse-operator', made: 1 },
    { rule: 'of another name', account: { name: 'mine' }, name: 'mine', made: 1 },
    { rule: 'that exists', account: { create: false, name: 'theirs' }, name: 'theirs', made: 0 },
  ])('gives all rights of the operator to an account $rule', async ({ account, name, made }) => {
    const all = await render({ ...EVERYTHING, operator: { serviceAccount: account } });
    const objects = all.filter(({ metadata }) => !metadata.name.startsWith('gatehouse-management'));
    expect(objects.filter(({ kind }) => kind === 'ServiceAccount')).toHaveLength(made);
    const subjects = objects.flatMap((object) => (object.kind.endsWith('Binding') ? [at(object, 'subjects.0')] : []));
    expect(subjects.length).toBeGreaterThan(5);
    for (const subject of subjects) expect(subject).toEqual({ kind: 'ServiceAccount', name, namespace: NAMESPACE });
    for (const id of [`Deployment/${NAMESPACE}/gatehouse-operator`, `Job/${NAMESPACE}/gatehouse-retirement`])
      expect(at(find(objects, id), 'spec.template.spec.serviceAccountName')).toBe(name);
  });

  test('merges security contexts with the defaults, and null removes a member', async () => {
    const given = {
      podSecurityContext: { runAsUser: 1234, fsGroupChangePolicy: 'OnRootMismatch' },
      containerSecurityContext: { readOnlyRootFilesystem: null },
    };
    const objects = await render({ operator: given, redis: given });
    for (const id of [`Deployment/${NAMESPACE}/gatehouse-operator`, `StatefulSet/${NAMESPACE}/gatehouse-redis`]) {
      const pod = at(find(objects, id), 'spec.template.spec');
      expect(at(pod, 'securityContext')).toEqual({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
        runAsUser: 1234,
        runAsGroup: 65_532,
        fsGroup: 65_532,
        fsGroupChangePolicy: 'OnRootMismatch',
      });
      expect(at(pod, 'containers.0.securityContext')).toEqual({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
    }
  });

  test('has common labels on every object and pod, below its own', async () => {
    const commonLabels = { 'example.com/cost-center': 'ai', 'app.kubernetes.io/name': 'other' };
    const objects = await render({ ...EVERYTHING, commonLabels, operator: { podLabels: { team: 'platform' } } });
    const plain = new Map((await render(EVERYTHING)).map((object) => [idOf(object), object.metadata.labels]));
    for (const object of objects) {
      const own = plain.get(idOf(object));
      expect(object.metadata.labels, idOf(object)).toEqual({ ...own, 'example.com/cost-center': 'ai' });
    }
    const pods = objects.flatMap((object) => at(object, 'spec.template.metadata.labels') ?? []);
    expect(pods).toHaveLength(5);
    for (const labels of pods) expect(labels).toMatchObject({ 'example.com/cost-center': 'ai' });
    const selectors = objects.flatMap((object) => at(object, 'spec.selector.matchLabels') ?? []);
    expect(JSON.stringify(selectors)).not.toContain('cost-center');
  });

  test('lets the operator connect to DNS, the API server and gateways only, where it is limited', async () => {
    const extra = [{ to: [{ ipBlock: { cidr: '10.0.9.0/24' } }] }];
    const egress = { enabled: true, apiServerCIDRs: ['10.0.0.10/32'], extra };
    const objects = await render({ networkPolicies: { egress } });
    const dns = {
      ports: [
        { port: 53, protocol: 'UDP' },
        { port: 53, protocol: 'TCP' },
      ],
    };
    const apiServer = { ports: [{ port: 443 }, { port: 6443 }], to: [{ ipBlock: { cidr: '10.0.0.10/32' } }] };
    const gateways = {
      to: [{ namespaceSelector: {}, podSelector: { matchLabels: { 'app.kubernetes.io/name': 'gatehouse-gateway' } } }],
      ports: [{ port: 8789 }],
    };
    const policyOf = (name: string) => at(find(objects, `NetworkPolicy/${NAMESPACE}/${name}`), 'spec');
    expect(policyOf('gatehouse-operator')).toMatchObject({
      policyTypes: ['Ingress', 'Egress'],
      egress: [dns, apiServer, gateways, ...extra],
    });
    expect(policyOf('gatehouse-retirement')).toMatchObject({
      policyTypes: ['Ingress', 'Egress'],
      egress: [dns, apiServer],
    });
    expect(policyOf('gatehouse-redis')).not.toHaveProperty('egress');
    const open = find(await render(), `NetworkPolicy/${NAMESPACE}/gatehouse-operator`);
    expect(at(open, 'spec.policyTypes')).toEqual(['Ingress']);
  });

  test('runs a Redis with a version of its own', async () => {
    const redis = find(await render(), `StatefulSet/${NAMESPACE}/gatehouse-redis`);
    expect(at(redis, 'spec.template.spec.containers.0.image')).toMatch(/^redis:[0-9]/);
  });

  test('never evicts a counter, and keeps answers in a server of their own', async () => {
    const redis = find(await render(), `StatefulSet/${NAMESPACE}/gatehouse-redis`);
    const argsOf = (i: number) => at(redis, `spec.template.spec.containers.${i}.args`);
    expect(argsOf(0)).toEqual(expect.arrayContaining(['noeviction', '--appendonly', 'yes', 'everysec']));
    expect(argsOf(1)).toEqual(expect.arrayContaining(['allkeys-lru', '6380']));
  });

  test('starts Redis with a password that is not in the chart', async () => {
    const objects = await render();
    const redis = find(objects, `StatefulSet/${NAMESPACE}/gatehouse-redis`);
    const container = at(redis, 'spec.template.spec.containers.0');
    expect(at(container, 'args')).toEqual(expect.arrayContaining(['--requirepass', '$(PASSWORD)']));
    const secretKeyRef = { name: 'gatehouse-redis-password', key: 'password' };
    expect(at(container, 'env')).toEqual([{ name: 'PASSWORD', valueFrom: { secretKeyRef } }]);
    const places = { 'gatehouse-redis-password': NAMESPACE, 'gatehouse-redis': 'gatehouse-gateways' };
    for (const [name, namespace] of Object.entries(places)) {
      const shell = find(objects, `Secret/${namespace}/${name}`);
      expect(Object.keys(shell).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
    }
  });

  test.for([
    {
      rule: "the chart's Redis",
      values: {},
      want: {
        urlSecretRef: { name: 'gatehouse-redis', key: 'url' },
        cacheUrlSecretRef: { name: 'gatehouse-redis', key: 'cacheUrl' },
      },
    },
    {
      rule: 'one of their own',
      values: { redis: { enabled: false, urlSecretRef: { name: 'mine', key: 'u' } } },
      want: { urlSecretRef: { name: 'mine', key: 'u' } },
    },
    { rule: 'none', values: { redis: { enabled: false } }, want: undefined },
    {
      rule: 'that of their spec',
      values: { defaultFleet: { spec: { stores: { redis: { urlSecretRef: { name: 'spec', key: 'u' } } } } } },
      want: { urlSecretRef: { name: 'spec', key: 'u' } },
    },
  ])('gives gateways $rule', async ({ values, want }) => {
    const fleet = find(await render(values), 'GatewayFleet/gatehouse-gateways/default');
    expect(at(fleet, 'spec.stores.redis')).toEqual(want);
  });

  test.for([
    { rule: 'with those of the release', spec: {}, want: [{ name: 'registry' }] },
    {
      rule: 'with those of its own spec',
      spec: { pod: { labels: { a: 'b' }, imagePullSecrets: [{ name: 'mine' }] } },
      want: [{ name: 'mine' }],
    },
    { rule: 'beside other settings of the pods', spec: { pod: { labels: { a: 'b' } } }, want: [{ name: 'registry' }] },
  ])('lets the fleet pull images $rule', async ({ spec, want }) => {
    const objects = await render({ imagePullSecrets: [{ name: 'registry' }], defaultFleet: { spec } });
    const fleet = find(objects, 'GatewayFleet/gatehouse-gateways/default');
    expect(at(fleet, 'spec.pod.imagePullSecrets')).toEqual(want);
    expect(at(fleet, 'spec.pod.labels')).toEqual(spec.pod?.labels);
  });

  test.for([
    { rule: 'where the platform does', values: { runAsUser: null }, apiVersions: [] },
    { rule: 'on OpenShift', values: {}, apiVersions: ['security.openshift.io/v1'] },
  ])('gives no user $rule', async ({ values, apiVersions }) => {
    const text = await renderText(values, CHART, { apiVersions });
    expect(text).toContain('runAsNonRoot: true');
    expect(text).not.toMatch(/\b(runAsUser|runAsGroup|fsGroup):/);
  });

  test('sends traffic to the port of the first listener', async () => {
    const spec = { listeners: [{ name: 'https', port: 8443, tlsSecretRef: { name: 'tls' } }] };
    const objects = await render({
      ...EVERYTHING,
      defaultFleet: { spec },
      httpRoute: { enabled: true, parentRefs: [{ name: 'public' }], backendTLS: { enabled: true } },
    });
    const route = find(objects, 'HTTPRoute/gatehouse-gateways/gatehouse');
    const ingress = find(objects, 'Ingress/gatehouse-gateways/gatehouse');
    const backend = { name: 'default-gateway', port: 8443 };
    expect(at(route, 'spec.rules.0.backendRefs.0')).toEqual(backend);
    expect(at(ingress, 'spec.rules.0.http.paths.0.backend.service')).toEqual({ ...backend, port: { number: 8443 } });
    const policy = find(objects, 'BackendTLSPolicy/gatehouse-gateways/gatehouse');
    expect(at(policy, 'spec.validation')).toEqual({
      hostname: 'default-gateway.gatehouse-gateways.svc',
      wellKnownCACertificates: 'System',
    });
  });
});
