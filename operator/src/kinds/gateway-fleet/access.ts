/** What the platform team grants for a fleet: the right to run gateways in its namespace. */
import { fleetsCommand } from '../../rbac.ts';
import { type Halt, hasReason, isAllowedTo, type KubeClient, retryFrom } from '../../runtime/index.ts';
import { DEPLOYMENTS } from './kube-kinds.ts';
import type { FleetRun } from './ports.ts';

/**
 * Whether the operator may run gateways in the namespace; undefined where that cannot be determined. Rejects with ApiError.
 */
export const mayRunGateways = (
  client: Pick<KubeClient, 'create'>,
  namespace: string,
  signal: AbortSignal,
): Promise<boolean | undefined> => isAllowedTo(client, { verb: 'patch', kind: DEPLOYMENTS, namespace }, signal);

/** The operator lacks rights in the namespace of the fleet. Noticing a grant triggers the next run. */
export function accessDenied({ fleet: { metadata }, ports }: Pick<FleetRun, 'fleet' | 'ports'>): Halt {
  const { namespace = '' } = metadata;
  const command = fleetsCommand(ports.settings.operatorAccount, namespace);
  const message = `The operator may not run gateways in the namespace ${namespace}; grant it with: ${command}`;
  return { kind: 'stall', reason: 'AccessDenied', message };
}

/** The halt for a step's error. Quotas and policies of a cluster refuse with the same code as missing rights. */
export async function haltFrom(error: unknown, run: FleetRun): Promise<Halt> {
  if (!hasReason(error, 'Forbidden')) return retryFrom(error);
  const { namespace = '' } = run.fleet.metadata;
  const state = await run.ports.access.ask(namespace, run.signal).catch(() => undefined);
  return state === 'denied' ? accessDenied(run) : retryFrom(error);
}
