import { isObject } from '@gatehouse/crds';
import type { GatewayFleet } from '@gatehouse/crds/kinds';
import { digestOf } from '@gatehouse/crds/snapshot';
import { hasReason, type KubeObject, keyOf } from '../../runtime/index.ts';
import { childrenOf, networkPolicy } from './children.ts';
import { blockedIn, metadataUsesOf } from './egress.ts';
import { AUTOSCALERS, DEPLOYMENTS, type Deployment, type Manifest } from './kube-kinds.ts';
import { kindOf, mustBeReplaced, stateOf } from './live.ts';
import { APPLIED_ANNOTATION, childName, HANDOVER_MANAGER } from './names.ts';
import { isOfOrganisation } from './placement.ts';
import type { FleetRun } from './ports.ts';
import { digestSecrets, ensureAdminToken } from './secrets.ts';

export type Applied =
  | { readonly kind: 'applied'; readonly deploymentDigest: string }
  | { readonly kind: 'blocked'; readonly message: string };

/** Applies the children of a fleet; rejects with ApiError. */
export async function applyChildren(run: FleetRun): Promise<Applied> {
  const { fleet, ports, signal } = run;
  const token = await ensureAdminToken(fleet, { client: ports.client, secrets: ports.secrets.store }, { signal });
  if (token === undefined) return { kind: 'blocked', message: 'The admin Secret does not belong to the fleet' };
  const secretsDigest = digestSecrets(fleet, ports.secrets.store, token);
  const metadataUses = metadataUsesOf(fleet, ports);
  const withReplicas = (replicas: number | undefined): Manifest[] =>
    childrenOf(fleet, ports.settings, { replicas, secretsDigest, metadataUses });

  const handedOver = withReplicas(undefined);
  const states = new Map<Manifest, KubeObject | undefined>();
  for (const manifest of handedOver) {
    const state = await stateOf(run, manifest);
    if (state.kind === 'blocked') return state;
    states.set(manifest, state.kind === 'ours' ? state.object : undefined);
  }
  await deleteUnwanted(run, handedOver);

  let deploymentDigest = '';
  for (const manifest of handedOver) {
    let live = states.get(manifest);
    if (live !== undefined && mustBeReplaced(live, manifest)) {
      await remove(run, live);
      live = undefined;
    }
    if (manifest.kind !== DEPLOYMENTS.kind) {
      await ports.applier.apply(manifest, { signal });
      continue;
    }
    const replicas = await replicasFor(run, live, manifest);
    const deployment = withReplicas(replicas).find(({ kind }) => kind === DEPLOYMENTS.kind) ?? manifest;
    await ports.applier.apply(deployment, { signal });
    deploymentDigest = digestOf(deployment);
  }
  return { kind: 'applied', deploymentDigest };
}

/**
 * Closes metadata addresses that the pods of a workspace's fleet may no longer reach, whatever its spec asks for by now, and however
 * little of that is served: they go on. Nothing else of the policy changes. Only the cache is read, so that fleets without pods or
 * in namespaces without rights cost no call. Rejects with ApiError.
 */
export async function closeEgress(run: FleetRun): Promise<void> {
  const { fleet, ports, signal } = run;
  if (isOfOrganisation(fleet.metadata.namespace ?? '', ports.settings)) return;
  const policy = networkPolicy(fleet, ports.settings, { metadataUses: metadataUsesOf(fleet, ports) });
  const object = ports.stores.children.get(policy.kind)?.get(keyOf(policy.metadata));
  if (object === undefined || !isOwnedBy(object, fleet)) return;
  const [live, wanted] = [specOf(object), specOf(policy)];
  if (blockedIn(wanted).isSubsetOf(blockedIn(live))) return;
  const closed: Manifest = { ...policy, spec: { ...wanted, ingress: live['ingress'] ?? wanted['ingress'] } };
  await ports.applier.apply(closed, { signal });
}

const specOf = (policy: KubeObject): Readonly<Record<string, unknown>> => {
  const spec = 'spec' in policy ? policy.spec : undefined;
  return isObject(spec) ? spec : {};
};

/**
 * The number of pods to apply; undefined leaves it to the autoscaler. Dropping a field that no other manager owns resets it to
 * its default of one pod, so that another field manager takes it over first; the autoscaler takes it from there with its first
 * change.
 */
async function replicasFor(
  run: FleetRun,
  live: Deployment | undefined,
  handedOver: Manifest,
): Promise<number | undefined> {
  const { autoscaling, replicas } = run.fleet.spec;
  if (autoscaling === undefined) return replicas;
  const current = live?.spec?.replicas ?? 0;
  if (live === undefined || current === 0) return autoscaling.minReplicas; // an autoscaler ignores a Deployment of 0 pods
  if (live.metadata.annotations?.[APPLIED_ANNOTATION] !== digestOf(handedOver)) await handOver(run, live, current);
  return undefined;
}

async function handOver({ ports, signal }: FleetRun, live: Deployment, replicas: number): Promise<void> {
  const { name, namespace } = live.metadata;
  const claim = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace }, spec: { replicas } };
  try {
    await ports.client.apply(DEPLOYMENTS, claim, { fieldManager: HANDOVER_MANAGER, force: false, signal });
  } catch (error) {
    if (!hasReason(error, 'Conflict')) throw error; // another manager has set a different number and owns the field
  }
}

/** Only the autoscaler is optional. */
async function deleteUnwanted(run: FleetRun, wanted: readonly Manifest[]): Promise<void> {
  if (wanted.some(({ kind }) => kind === AUTOSCALERS.kind)) return;
  const { name, namespace } = run.fleet.metadata;
  const autoscaler = run.ports.stores.children.get(AUTOSCALERS.kind)?.get(`${namespace}/${childName(name)}`);
  if (autoscaler !== undefined && isOwnedBy(autoscaler, run.fleet)) await remove(run, autoscaler);
}

const isOwnedBy = ({ metadata }: KubeObject, fleet: GatewayFleet): boolean =>
  metadata.ownerReferences?.some(({ uid }) => uid === fleet.metadata.uid) ?? false;

async function remove({ ports, signal }: FleetRun, object: KubeObject): Promise<void> {
  const { uid } = object.metadata;
  try {
    await ports.client.delete(kindOf(object), object.metadata, { uid, signal });
  } catch (error) {
    if (!hasReason(error, 'NotFound')) throw error;
  }
}
