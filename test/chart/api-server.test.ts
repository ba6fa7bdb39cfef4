/** What the charts and kustomizations make, judged by a real API server. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isObject } from '@gatehouse/crds';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { capture } from '../../scripts/machine/index.ts';
import { type ControlPlane, ensurePrograms, pathOf, runKubectl, startControlPlane } from '../cluster/index.ts';
import { CHART_MODULES, foreignDefinitions } from './foreign-definitions.ts';
import {
  CHART,
  CRD_CHART,
  definitionsServed,
  FLEET_NAMESPACE,
  NAMESPACE,
  render,
  renderText,
  type Values,
} from './helm.ts';
import { EVERYTHING } from './values.ts';

const OVERLAYS = ['base', 'without-management', 'overlays/external-redis', 'overlays/production'].map((path) =>
  join(CHART, '../kustomize', path),
);
const STRICT = ['apply', '--server-side', '--dry-run=server', '--validate=strict', '-f', '-'];

const CASES: readonly { readonly rule: string; readonly values: Values }[] = [
  { rule: 'the defaults', values: {} },
  { rule: 'everything', values: EVERYTHING },
  { rule: 'no management API', values: { management: { enabled: false } } },
  { rule: 'named namespaces', values: { watchNamespaces: ['default'] } },
  {
    rule: 'an operator on the network of its nodes',
    values: {
      operator: { hostNetwork: true, ports: { webhook: 10_260 } },
      networkPolicies: { nodeCIDRs: ['10.0.0.0/16'] },
    },
  },
  {
    rule: 'their own issuer',
    values: { webhook: { certManager: { enabled: true, issuerRef: { kind: 'ClusterIssuer', name: 'internal' } } } },
  },
];

let controlPlane: ControlPlane;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  const definitions = (await foreignDefinitions(CHART_MODULES)).flatMap((file) => ['-f', file]);
  await runKubectl(controlPlane, ['apply', '--server-side', ...definitions]);
  await runKubectl(controlPlane, ['apply', '--server-side', '-f', '-'], { input: await renderText({}, CRD_CHART) });
  await definitionsServed(controlPlane);
  for (const name of [NAMESPACE, FLEET_NAMESPACE]) await runKubectl(controlPlane, ['create', 'namespace', name]);
});
afterAll(() => controlPlane[Symbol.asyncDispose]());

test.for(CASES)('the API server takes $rule', async ({ values }) => {
  await runKubectl(controlPlane, STRICT, { input: await renderText(values) });
});

test('pods of the chart may run in a restricted namespace', async () => {
  const label = 'pod-security.kubernetes.io/enforce=restricted';
  await runKubectl(controlPlane, ['label', 'namespace', NAMESPACE, label, '--overwrite']);
  const kinds = new Set(['Deployment', 'StatefulSet', 'Job']);
  const workloads = (await render()).filter(({ kind }) => kinds.has(kind));
  const pods = workloads.map(({ spec, metadata: { name, namespace } }) => {
    const { template, volumeClaimTemplates: claims = [] } = Object(spec);
    const pod = isObject(template) ? Object(template['spec']) : {};
    // A StatefulSet gives its pods a volume for each claim.
    const claimed = claims.map(({ metadata: claim }: { metadata: { name: string } }) => ({ ...claim, emptyDir: {} }));
    // The admission of pods asks for an account that exists.
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace },
      spec: { ...pod, volumes: [...(pod.volumes ?? []), ...claimed], serviceAccountName: 'default' },
    };
  });
  expect(pods).toHaveLength(5);
  await runKubectl(controlPlane, STRICT, { input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: pods }) });
});

test.for(OVERLAYS)('the API server takes %s', async (folder) => {
  const input = await runKubectl(controlPlane, ['kustomize', folder]);
  await runKubectl(controlPlane, STRICT, { input });
});

test('kubeconform finds nothing, with the schemas of the API server', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-schemas-'));
  try {
    await writeSchemas(folder);
    const programs = await ensurePrograms(['kubeconform']);
    const location = join(folder, '{{.ResourceKind}}_{{.ResourceAPIVersion}}.json');
    const flags = ['-strict', '-summary', '-schema-location', location, '-skip', 'CustomResourceDefinition'];
    for (const { values } of CASES) {
      const { code, stdout } = await capture([pathOf(programs, 'kubeconform'), ...flags, '-'], {
        input: await renderText(values),
      });
      expect(code, stdout).toBe(0);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** One file per kind that the API server serves, custom ones included. */
async function writeSchemas(folder: string): Promise<void> {
  const { body } = await controlPlane.request('GET', '/openapi/v2');
  const definitions = isObject(body) && isObject(body['definitions']) ? body['definitions'] : {};
  await writeFile(join(folder, '_definitions.json'), JSON.stringify({ definitions: mapValues(definitions, closed) }));
  for (const [name, definition] of Object.entries(definitions)) {
    const kinds = isObject(definition) ? definition['x-kubernetes-group-version-kind'] : undefined;
    for (const { kind, version } of Array.isArray(kinds) ? kinds : []) {
      const file = join(folder, `${String(kind).toLowerCase()}_${version}.json`);
      await writeFile(file, JSON.stringify({ $ref: `_definitions.json#/definitions/${name}` }));
    }
  }
}

/** Objects with named members take no others, as with strict validation. */
function closed(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  // The one type that OpenAPI 2 cannot say.
  if (schema['format'] === 'int-or-string') return { type: ['integer', 'string'] };
  const { properties, items, additionalProperties } = schema;
  const open = !isObject(properties) || schema['x-kubernetes-preserve-unknown-fields'] === true;
  return {
    ...schema,
    ...(isObject(properties) ? { properties: mapValues(properties, closed) } : {}),
    ...(isObject(items) ? { items: closed(items) } : {}),
    ...(open ? {} : { additionalProperties: false }),
    ...(isObject(additionalProperties) ? { additionalProperties: closed(additionalProperties) } : {}),
  };
}

const mapValues = (object: Readonly<Record<string, unknown>>, change: (value: unknown) => unknown) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
