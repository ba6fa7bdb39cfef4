/** An operator with exactly the rights that its code declares, granted as the chart does it for named namespaces. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BOUND_ROLES, type RoleRule, type RuleGroup, rolesOf } from '../../../operator/src/rbac.ts';
import { OPERATOR_RULES } from '../../../operator/src/rbac-rules.ts';
import type { Method } from '../../cluster/index.ts';

import { apply, type KubeThing, kubeconfigOf, remove, type Stage } from './support.ts';

export const ACCOUNT = 'gatehouse-operator';
const GROUP = 'rbac.authorization.k8s.io';
const API_VERSION = `${GROUP}/v1`;

export type Places = Readonly<Record<RuleGroup, readonly (string | undefined)[]>>;

const roleName = (group: RuleGroup): string =>
  Object.entries(BOUND_ROLES).find(([name]) => name === group)?.[1] ?? `gatehouse-operator-${group}`;

/** Grants all roles of the operator, in the namespaces of `elsewhere` where given; returns the path of its kubeconfig. */
export async function grantRights(stage: Stage, elsewhere: Partial<Places> = {}): Promise<string> {
  const { cluster, organisation, fleets, tenant, folder } = stage;
  const places: Places = {
    cluster: [undefined],
    watched: [organisation, fleets, tenant],
    own: [organisation],
    fleets: [fleets],
    fleetSecrets: [fleets],
    workspaceSecrets: [organisation, tenant],
    ...elsewhere,
  };
  const roles = rolesOf(OPERATOR_RULES);
  for (const group of Object.keys(roles) as RuleGroup[]) {
    await apply(cluster, clusterRole(roleName(group), roles[group]));
    for (const namespace of places[group]) await apply(cluster, binding(stage, group, namespace));
  }
  const path = join(folder, 'kubeconfig');
  await writeFile(path, kubeconfigOf(cluster, await cluster.serviceAccountToken(organisation, ACCOUNT)));
  return path;
}

/** The chart installs it empty. */
export const leaseOf = ({ organisation }: Stage): KubeThing => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'gatehouse-operator', namespace: organisation },
});

export async function installLease(stage: Stage): Promise<void> {
  await apply(stage.cluster, leaseOf(stage));
}

/** Takes a binding back. */
export const revoke = (stage: Stage, group: RuleGroup, namespace: string | undefined): Promise<void> =>
  remove(stage.cluster, binding(stage, group, namespace));

const clusterRole = (name: string, rules: readonly RoleRule[]): KubeThing =>
  ({ apiVersion: API_VERSION, kind: 'ClusterRole', metadata: { name }, rules }) as KubeThing;

/** Without a namespace: everywhere. */
export function binding({ organisation }: Stage, group: RuleGroup, namespace: string | undefined): KubeThing {
  const name = roleName(group);
  const isEverywhere = namespace === undefined;
  return {
    apiVersion: API_VERSION,
    kind: isEverywhere ? 'ClusterRoleBinding' : 'RoleBinding',
    // Several installations of one cluster of tests.
    metadata: isEverywhere ? { name: `${name}-${organisation}` } : { name, namespace },
    roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name: ACCOUNT, namespace: organisation }],
  } as KubeThing;
}

/** The rule of versions that had all Secrets: everything everywhere. */
export async function grantEverywhere(stage: Stage): Promise<void> {
  const everywhere = Object.keys(rolesOf(OPERATOR_RULES)) as RuleGroup[];
  for (const group of everywhere) await apply(stage.cluster, binding(stage, group, undefined));
}

export async function revokeEverywhere(stage: Stage, groups: readonly RuleGroup[]): Promise<void> {
  for (const group of groups) await revoke(stage, group, undefined);
}

/** The status code of a call with the token of the operator. */
export async function asOperator(
  { cluster, organisation }: Pick<Stage, 'cluster' | 'organisation'>,
  method: Method,
  path: string,
  body?: unknown,
): Promise<number> {
  const token = await cluster.serviceAccountToken(organisation, ACCOUNT);
  return (await cluster.request(method, path, { token, ...(body === undefined ? {} : { body }) })).status;
}

/** What the chart installs empty for the operator to fill. */
export async function installShells({ cluster, organisation }: Stage): Promise<void> {
  const webhooks = 'admissionregistration.k8s.io/v1';
  const shells: readonly [string, string, string, object][] = [
    ['coordination.k8s.io/v1', 'leases', `/namespaces/${organisation}`, { name: 'gatehouse-operator' }],
    ['v1', 'secrets', `/namespaces/${organisation}`, { name: 'gatehouse-webhook-certificate' }],
    ['v1', 'secrets', `/namespaces/${organisation}`, { name: 'gatehouse-redis-password' }],
    ['v1', 'secrets', `/namespaces/${organisation}`, { name: 'gatehouse-postgres-password' }],
    [webhooks, 'validatingwebhookconfigurations', '', { name: 'gatehouse-validating' }],
    [webhooks, 'mutatingwebhookconfigurations', '', { name: 'gatehouse-injection' }],
  ];
  for (const [apiVersion, plural, place, metadata] of shells) {
    const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const answer = await cluster.request('POST', `${base}${place}/${plural}`, { body: { metadata } });
    if (answer.status !== 201) throw new Error(`${plural}: ${answer.status} ${JSON.stringify(metadata)}`);
  }
}
