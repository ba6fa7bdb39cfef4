import { randomBytes } from 'node:crypto';
import {
  createKubeClient,
  type KindRef,
  type KubeClient,
  type KubeObject,
  type Log,
} from '../../../operator/src/runtime/index.ts';
import type { ControlPlaneAccess } from '../../cluster/index.ts';
import { waitFor } from '../../kit/wait-for.ts';

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>> | undefined;
}

export const CONFIG_MAPS: KindRef<ConfigMap> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

export interface Secret extends KubeObject {
  readonly data?: Readonly<Record<string, string>> | undefined;
}

export const SECRETS: KindRef<Secret> = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
};

/** Intervals that a test can wait for. */
export const QUICK = {
  watchSeconds: { min: 300, max: 600 },
  backoff: { minMs: 20, maxMs: 500 },
  awayBackoff: { minMs: 20, maxMs: 500 },
  absentMs: 100,
};

export interface LogLine {
  readonly level: keyof Log;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** A log that keeps its lines. */
export function recordLog(): Log & { readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const at =
    (level: keyof Log) =>
    (fields: object, message: string): void => {
      lines.push({ level, fields: { ...fields }, message });
    };
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** A client as administrator, or with another token, or to another address. */
export const connectClient = (
  cluster: Pick<ControlPlaneAccess, 'url' | 'caPem' | 'adminToken'>,
  { url = cluster.url, token = cluster.adminToken }: { readonly url?: string; readonly token?: string } = {},
): Promise<KubeClient> =>
  createKubeClient({ source: { server: url, token, caPem: cluster.caPem }, userAgent: 'gatehouse-test' });

export const configMap = (namespace: string, name: string, data: Readonly<Record<string, string>> = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name },
  data,
});

/** Something that runs until it is disposed. */
export function running(
  work: (signal: AbortSignal) => Promise<unknown>,
): AsyncDisposable & { readonly signal: AbortSignal } {
  const stop = new AbortController();
  const ended = work(stop.signal);
  return {
    signal: stop.signal,
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('the test is over'));
      await ended;
    },
  };
}

export interface Widget extends KubeObject {
  readonly spec: { readonly size?: number | undefined; readonly suspend?: boolean | undefined };
  readonly status?: Readonly<Record<string, unknown>> | undefined;
}

/** Installs a Kind with a status subresource, in a group of its own; the runtime knows no Kind of Gatehouse. */
export async function installWidgets(cluster: ControlPlaneAccess): Promise<KindRef<Widget>> {
  const group = `r${randomBytes(5).toString('hex')}.example.com`;
  const kind: KindRef<Widget> = { group, version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true };
  const condition = {
    type: 'object',
    required: ['type', 'status'],
    properties: {
      type: { type: 'string' },
      status: { type: 'string' },
      observedGeneration: { type: 'integer' },
      lastTransitionTime: { type: 'string', format: 'date-time' },
      reason: { type: 'string' },
      message: { type: 'string' },
    },
  };
  const conditions = {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
    items: condition,
  };
  const status = {
    type: 'object',
    properties: { conditions, observedGeneration: { type: 'integer' }, lastHandledReconcileAt: { type: 'string' } },
  };
  const spec = { type: 'object', properties: { size: { type: 'integer' }, suspend: { type: 'boolean' } } };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec, status } } };
  const answer = await cluster.request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    body: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `widgets.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
        versions: [{ name: 'v1', served: true, storage: true, schema, subresources: { status: {} } }],
      },
    },
  });
  if (answer.status !== 201) throw new Error(`The CRD was refused: ${JSON.stringify(answer.body)}`);
  const path = `/apis/${group}/v1/widgets`;
  await waitFor(async () => (await cluster.request('GET', path)).status === 200, { what: path });
  return kind;
}

export const widget = (kind: KindRef, namespace: string, name: string, spec: Widget['spec'] = {}): Widget => ({
  apiVersion: `${kind.group}/${kind.version}`,
  kind: 'Widget',
  metadata: { namespace, name },
  spec,
});
