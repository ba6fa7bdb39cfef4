import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@gatehouse/test/kit';
import type { ControlPlaneAccess } from '../../cluster/index.ts';
import { apply, fleetOf, type KubeThing, label, ours, patch, remove } from './objects.ts';
import type { OperatorSetup } from './operator-process.ts';

/** One installation among others of the same cluster: namespaces of its own, and a fleet that serves all of them. */
export interface Stage extends AsyncDisposable {
  readonly cluster: ControlPlaneAccess;
  readonly organisation: string;
  readonly fleets: string;
  /** The name of the fleet. */
  readonly fleet: string;
  /** Of a workspace of the same name. */
  readonly tenant: string;
  /** For `startOperator`. */
  readonly setup: OperatorSetup;
  readonly folder: string;
}

export interface StageOptions {
  /** Further namespaces to watch. */
  readonly namespaces?: readonly string[];
  readonly args?: readonly string[];
  readonly replicas?: number;
  readonly kubeconfigPath?: string;
}

export async function setStage(cluster: ControlPlaneAccess, options: StageOptions = {}): Promise<Stage> {
  const { namespaces = [], args = ['--no-webhooks'], replicas = 1 } = options;
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-operator-'));
  const [organisation, fleets] = await Promise.all([cluster.createNamespace(), cluster.createNamespace()]);
  const tenant = await createTenant(cluster);
  await allowGateways(cluster);
  await apply(cluster, fleetOf(fleets, { replicas }));
  const watched = [tenant, ...namespaces].join(',');
  const names = ['--organisation-namespace', organisation, '--fleet-namespaces', fleets, '--watch-namespaces', watched];
  return {
    cluster,
    organisation,
    fleets,
    fleet: 'main',
    tenant,
    folder,
    setup: { kubeconfigPath: options.kubeconfigPath ?? cluster.kubeconfigPath, args: [...names, ...args] },
    [Symbol.asyncDispose]: async () => {
      await remove(cluster, fleetOf(fleets, { replicas }));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The lease of an operator that was killed, as when its time is over: the next one need not wait for that. */
export const endLease = ({ cluster, organisation }: Pick<Stage, 'cluster' | 'organisation'>): Promise<unknown> =>
  patch(
    cluster,
    `/apis/coordination.k8s.io/v1/namespaces/${organisation}/leases/gatehouse-operator`,
    { spec: { holderIdentity: null } },
    'application/merge-patch+json',
  );

/** A namespace that consents to a Workspace of its own name, and the Workspace. */
export async function createTenant(cluster: ControlPlaneAccess): Promise<string> {
  const tenant = await cluster.createNamespace();
  await label(cluster, tenant, tenant);
  await apply(cluster, ours('Workspace', { name: tenant }, { namespace: tenant }));
  return tenant;
}

/** What the chart installs for gateways. */
async function allowGateways(cluster: ControlPlaneAccess): Promise<void> {
  await apply(cluster, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'gatehouse-gateway' },
    rules: [
      { apiGroups: [''], resources: ['configmaps', 'secrets'], verbs: ['get'] },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['watch'] },
    ],
  } as KubeThing);
}

/** The kind of the Gateway API by which a namespace lets others refer to what it holds, as far as its schema matters here. */
export async function installReferenceGrants(cluster: ControlPlaneAccess): Promise<void> {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: open } } };
  await apply(cluster, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: 'referencegrants.gateway.networking.k8s.io',
      annotations: { 'api-approved.kubernetes.io': 'unapproved, for tests' },
    },
    spec: {
      group: 'gateway.networking.k8s.io',
      scope: 'Namespaced',
      names: { plural: 'referencegrants', singular: 'referencegrant', kind: 'ReferenceGrant' },
      versions: [{ name: 'v1beta1', served: true, storage: true, schema }],
    },
  });
  const path = '/apis/gateway.networking.k8s.io/v1beta1/referencegrants';
  await waitFor(async () => (await cluster.request('GET', path)).status === 200, { what: path });
}
