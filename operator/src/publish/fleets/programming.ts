import type { Explanation } from '@gatehouse/crds/conditions';
import type { Fleet } from './fleet.ts';
import type { FleetPlace } from './ports.ts';

/** Whether the pods serve what the object says. */
export interface Programming extends Explanation {
  readonly status: 'True' | 'False' | 'Unknown';
}

export const PROGRAMMED: Programming = {
  status: 'True',
  reason: 'Programmed',
  message: 'Every ready pod of the fleets concerned serves this generation',
};

/** How far an object is served. */
export interface Question {
  /** Whose it is; null: the organisation's. */
  readonly workspace: string | null;
  /** See `originKey`. */
  readonly origin: string;
  /** The translation that must be served; -1 for what is known to have been. */
  readonly sequence: number;
  /** Whether to name who holds it up. */
  readonly late: boolean;
}

export function toProgramming(fleets: readonly Fleet[], question: Question): Programming {
  const { sequence, late } = question;
  const refused = refusalOf(fleets, question);
  if (refused !== undefined) return refused;
  const holding = holdingUp(fleets, sequence);
  const [first] = holding;
  if (first === undefined) return PROGRAMMED;
  const rejecting = holding.find(({ rejection }) => rejection !== undefined);
  if (rejecting !== undefined) {
    const message = `A pod of fleet ${rejecting.place.key} refused the Snapshot: ${rejecting.rejection}`;
    return { status: 'False', reason: 'Rejected', message: message.slice(0, MAX_MESSAGE) };
  }
  const { key, suspended } = (holding.find(({ place }) => place.suspended) ?? first).place;
  if (fleets.every(({ hasReadyPods }) => !hasReadyPods)) {
    const message = `Fleet ${key} has no ready pod${suspended ? ' and is suspended' : ''}`;
    return { status: 'Unknown', reason: 'NoReadyPods', message };
  }
  const waiting = late ? `Waiting for the pods of fleet ${key}` : 'Waiting for the gateway pods';
  return { status: 'Unknown', reason: 'Pending', message: suspended ? `Fleet ${key} is suspended` : waiting };
}

/** The fleets that keep an object from being programmed, by name; idle ones do only where no fleet serves it. */
function holdingUp(fleets: readonly Fleet[], sequence: number): readonly Fleet[] {
  const unserved = fleets.filter(({ servedSequence }) => servedSequence < sequence).toSorted(byKey);
  const behind = unserved.filter((fleet) => !fleet.isIdleWith(sequence));
  return behind.length > 0 || unserved.length < fleets.length ? behind : unserved;
}

/** The fleet that comes first by name and does not serve the object. */
function refusalOf(fleets: readonly Fleet[], { origin, sequence }: Question): Programming | undefined {
  for (const fleet of fleets.toSorted(byKey)) {
    const { reason, message = '' } = fleet.leftOut(origin, sequence) ?? {};
    if (reason === undefined) continue;
    const text = `Fleet ${fleet.place.key} ${reason === 'TooLarge' ? 'cannot be given it' : 'cannot use it'}: ${message}`;
    return { status: 'False', reason: 'Rejected', message: text.slice(0, MAX_MESSAGE) };
  }
  return undefined;
}

export const byName = (a: string, b: string): number => (a < b ? -1 : 1);

const byKey = (a: Fleet, b: Fleet): number => byName(a.place.key, b.place.key);

/** Longest message of a condition in characters. */
const MAX_MESSAGE = 900;

export function noFleet(workspace: string | null, refused: FleetPlace | undefined): string {
  const who =
    workspace === null ? 'The organisation has no GatewayFleet' : `No GatewayFleet serves the workspace ${workspace}`;
  return refused === undefined ? who : `${who}: fleet ${refused.key} is refused`;
}
