/** The steps of a run over a fleet; none of them writes the status. */
import { formatPath } from '@gatehouse/crds';
import type { PositiveType } from '@gatehouse/crds/conditions';
import { type GatewayFleet, parseResource } from '@gatehouse/crds/kinds';
import {
  type Done,
  done,
  type Halt,
  hasReason,
  keyOf,
  type ObjectKey,
  type StepResult,
  stall,
  wait,
} from '../../runtime/index.ts';
import { accessDenied } from './access.ts';
import { applyChildren, closeEgress } from './apply-children.ts';
import { fleetIssues } from './checks.ts';
import { CONFIG_MAPS, type Deployment, type FleetObject } from './kube-kinds.ts';
import { APPLIED_ANNOTATION, childName } from './names.ts';
import { type FleetIssue, workspacesServedBy } from './placement.ts';
import type { FleetRun } from './ports.ts';
import { brokenSecrets, secretClaimant, secretKeys } from './secrets.ts';

export interface Step {
  readonly proves: PositiveType;
  readonly take: (run: FleetRun) => Promise<StepResult>;
}

export const STEPS: readonly Step[] = [
  { proves: 'Accepted', take: checkSpec },
  { proves: 'ResolvedRefs', take: resolveRefs },
  { proves: 'Programmed', take: programPods },
];

/** Problems per message. */
const MAX_NAMED = 5;
/** Watches usually trigger the next run sooner; in ms. */
const LOOK_AGAIN_MS = 10_000;
const SECRETS_MS = 2_000;
/** Leaves room for the prefix of the message. */
const MAX_SENTENCE = 900;

/** The fleet with all defaults, or why its spec is refused. */
export function readFleet(object: FleetObject): GatewayFleet | Halt {
  const parsed = parseResource('GatewayFleet', object);
  if (parsed.ok) return parsed.value;
  return refusal(parsed.error.map(({ code, path, message }) => ({ code, text: `${formatPath(path)}: ${message}` })));
}

async function checkSpec(run: FleetRun): Promise<StepResult> {
  const { fleet, ports } = run;
  await closeEgress(run);
  const standing = ports.standingOf(fleet);
  if (standing === undefined) return wait('Pending', 'The fleet has yet to be counted', { afterMs: LOOK_AGAIN_MS });
  if (standing.refusal !== undefined) return stall(standing.refusal.reason, standing.refusal.message);
  const issues = fleetIssues(fleet, ports.settings);
  if (issues.length === 0) return done('The spec is valid');
  return refusal(issues.map(({ code, path, message }) => ({ code, text: `${formatPath(path)}: ${message}` })));
}

function refusal(problems: readonly { readonly code: 'invalid' | 'unsupported'; readonly text: string }[]): Halt {
  const isInvalid = problems.some(({ code }) => code === 'invalid');
  return stall(isInvalid ? 'Invalid' : 'UnsupportedValue', sentence(problems.map(({ text }) => text)));
}

async function resolveRefs(run: FleetRun): Promise<StepResult> {
  const { fleet, ports, signal } = run;
  const { owner, issues } = workspacesServedBy(fleet, ports.world(), ports.settings);
  const wanted = owner === undefined ? new Set<ObjectKey>() : secretKeys(fleet);
  ports.secrets.want(secretClaimant('GatewayFleet', fleet.metadata, ports.settings), wanted);
  if (!wanted.values().every(ports.secrets.isKnown)) {
    await ports.secrets.settled(AbortSignal.any([signal, AbortSignal.timeout(SECRETS_MS)])).catch(() => {
      signal.throwIfAborted();
    });
  }
  if (wanted.values().some(ports.secrets.isDenied)) return accessDenied(run);
  const unread = [...wanted].filter((key) => !ports.secrets.isKnown(key));
  if (unread.length > 0) {
    return wait('Pending', `Secrets could not be read yet: ${unread.sort().join(', ')}`, { afterMs: SECRETS_MS });
  }
  const broken = owner === undefined ? [] : brokenSecrets(fleet, ports.secrets.store);
  const all: readonly FleetIssue[] = [...issues, ...broken];
  const [first] = all;
  if (first === undefined) {
    const unmounted = await missingConfigMaps(run);
    if (unmounted.length === 0) return done('All references are resolved');
    // ConfigMaps are not watched.
    return { kind: 'stall', reason: 'RefNotFound', message: sentence(unmounted), afterMs: LOOK_AGAIN_MS };
  }
  return stall(first.reason, sentence(all.map(({ path, message }) => `${path}: ${message}`)));
}

/** ConfigMaps without which the volumes of the pods cannot be mounted. */
async function missingConfigMaps({ fleet, ports, signal }: FleetRun): Promise<readonly string[]> {
  const { namespace } = fleet.metadata;
  const missing: string[] = [];
  for (const [i, { configMap }] of (fleet.spec.pod?.volumes ?? []).entries()) {
    if (configMap === undefined || configMap.optional === true) continue;
    try {
      await ports.client.get(CONFIG_MAPS, { namespace, name: configMap.name }, { signal });
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
      missing.push(`spec.pod.volumes[${i}].configMap: there is no ConfigMap ${configMap.name}`);
    }
  }
  return missing;
}

/** One line below 1 kB, as messages of conditions have to be. */
function sentence(texts: readonly string[]): string {
  const more = texts.length - MAX_NAMED;
  const named = [...texts.slice(0, MAX_NAMED), ...(more > 0 ? [`and ${more} more`] : [])];
  return named.join('; ').replaceAll(/\s+/g, ' ').slice(0, MAX_SENTENCE);
}

async function programPods(run: FleetRun): Promise<StepResult> {
  if (run.ports.access.stateOf(run.fleet.metadata.namespace ?? '') === 'denied') return accessDenied(run);
  const applied = await applyChildren(run);
  if (applied.kind === 'blocked') return wait('Pending', applied.message, { afterMs: LOOK_AGAIN_MS });
  const deployment = deploymentOf(run);
  const isSeen = deployment?.metadata.annotations?.[APPLIED_ANNOTATION] === applied.deploymentDigest;
  if (!isSeen) return wait('Pending', 'The Deployment was just applied', { afterMs: LOOK_AGAIN_MS });
  return judgePods(run, deployment);
}

export const deploymentOf = ({ fleet: { metadata }, ports }: FleetRun): Deployment | undefined =>
  ports.stores.deployments.get(keyOf({ namespace: metadata.namespace, name: childName(metadata.name) }));

/** Whether the Deployment is up to date, all pods are ready, and they serve the published Snapshot. */
function judgePods(run: FleetRun, deployment: Deployment): Done | Halt {
  const { fleet, ports } = run;
  const { name } = fleet.metadata;
  const pending = (reason: 'Pending' | 'NoReadyPods' | 'Rejected', message: string): Halt =>
    wait(reason, message, { afterMs: LOOK_AGAIN_MS });
  const wanted = deployment.spec?.replicas ?? 0;
  const { replicas = 0, updatedReplicas = 0, readyReplicas = 0, availableReplicas = 0 } = deployment.status ?? {};
  if (wanted === 0 && replicas === 0) return done(`Fleet ${name} is to have no pods`);
  const trouble = problemsOf(deployment, ports.podTroubles(fleet));
  if (readyReplicas === 0) return pending('NoReadyPods', `No pod of fleet ${name} is ready${trouble}`);
  const isObserved = (deployment.status?.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0);
  if (!isObserved || updatedReplicas < wanted || replicas > wanted || availableReplicas < wanted) {
    return pending(
      'Pending',
      `${Math.min(updatedReplicas, availableReplicas)}/${wanted} pods of fleet ${name} are up to date and ready${trouble}`,
    );
  }
  const acknowledged = ports.acknowledged(fleet);
  const before = programmedBefore(run);
  if (acknowledged === undefined) {
    if (before !== undefined) return done(before.message);
    return pending('Pending', `It is not known yet what the pods of fleet ${name} run`);
  }
  const { version, programmed, lagging } = acknowledged;
  const rejecting = lagging.filter(({ reason }) => reason === 'Rejected').length;
  const message = `${programmed}/${readyReplicas} pods of fleet ${name} run version ${version}`;
  if (rejecting > 0) return pending('Rejected', `${message}; ${rejecting} refused it`);
  return programmed >= readyReplicas || before !== undefined ? done(message) : pending('Pending', message);
}

/**
 * Why a Deployment does not get its pods, e.g. a quota, as its own controller reports it, and why pods do not start.
 */
function problemsOf({ status }: Deployment, podTroubles: readonly string[]): string {
  const failed = status?.conditions?.find(({ type, status: is }) => type === 'ReplicaFailure' && is === 'True');
  const troubles = [...(failed === undefined ? [] : [failed.message ?? failed.reason ?? '']), ...podTroubles];
  return troubles.length === 0 ? '' : `: ${sentence(troubles)}`;
}

/** Programmed once per generation: a pod that has yet to load the latest version does not take it back. */
function programmedBefore({ fleet: { metadata, status } }: FleetRun): { readonly message: string } | undefined {
  return status?.conditions?.find(
    ({ type, status: is, observedGeneration }) =>
      type === 'Programmed' && is === 'True' && observedGeneration === metadata.generation,
  );
}
