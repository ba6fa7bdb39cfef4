/** What a fleet needs of the platform: the right to run gateways in its namespace. */
import { fleetsCommand } from '../../rbac.ts';
import { type Halt, hasReason, isAllowedTo, retryFrom } from '../../runtime/index.ts';
import { DEPLOYMENTS } from './kube-kinds.ts';
import type { FleetRun } from './ports.ts';

/** Nobody tells when a right is granted, in ms. */
const LOOK_AGAIN_MS = 5_000;

/** The platform has not granted what the operator needs in the namespace of the fleet. */
export function accessDenied({ fleet: { metadata }, ports }: Pick<FleetRun, 'fleet' | 'ports'>): Halt {
  const { namespace = '' } = metadata;
  const command = fleetsCommand(ports.settings.operatorAccount, namespace);
  const message = `The operator may not run gateways in the namespace ${namespace}; grant it with: ${command}`;
  return { kind: 'stall', reason: 'AccessDenied', message, afterMs: LOOK_AGAIN_MS };
}

/** What a step's failure means. Quotas and other policies of a cluster refuse with the same code as missing rights do. */
export async function haltFrom(error: unknown, run: FleetRun): Promise<Halt> {
  if (!hasReason(error, 'Forbidden')) return retryFrom(error);
  const { namespace } = run.fleet.metadata;
  const question = { verb: 'patch', kind: DEPLOYMENTS, namespace };
  const allowed = await isAllowedTo(run.ports.client, question, run.signal).catch(() => undefined);
  return allowed === false ? accessDenied(run) : retryFrom(error);
}
