/** Whether the pods of fleets serve an object, as the condition `Programmed` says it. */
import type { Explanation } from '@gatehouse/crds/conditions';
import type { Fleet } from './fleet.ts';
import { servesWorkspace } from './fleet-snapshot.ts';
import type { PublishTarget } from './ports.ts';

/** The condition `Programmed` of an object, without its type. */
export interface ProgrammedState extends Explanation {
  readonly status: 'True' | 'False' | 'Unknown';
}

export const PROGRAMMED: ProgrammedState = {
  status: 'True',
  reason: 'Programmed',
  message: 'Every ready pod of the fleets concerned serves this generation',
};

export interface ProgrammedQuery {
  /** The workspace that owns the object; null: the organisation. */
  readonly workspace: string | null;
  /** See `originKey`. */
  readonly origin: string;
  /** The translation that pods must serve; -1 for an object that is known to have been served. */
  readonly sequence: number;
  /** Whether the message names the fleet that is behind. */
  readonly late: boolean;
}

/** Judges the fleets that serve the workspace; `fleets` is not empty. */
export function toProgrammedState(fleets: readonly Fleet[], query: ProgrammedQuery): ProgrammedState {
  const { sequence, late } = query;
  const refused = refusalOf(fleets, query);
  if (refused !== undefined) return refused;
  const behind = fleetsBehind(fleets, sequence);
  const [first] = behind;
  if (first === undefined) return PROGRAMMED;
  const rejecting = behind.find(({ rejection }) => rejection !== undefined);
  if (rejecting !== undefined) {
    const message = `A pod of fleet ${rejecting.target.key} refused the Snapshot: ${rejecting.rejection}`;
    return { status: 'False', reason: 'Rejected', message: message.slice(0, MAX_MESSAGE) };
  }
  const { key, suspended } = (behind.find(({ target }) => target.suspended) ?? first).target;
  if (fleets.every(({ hasReadyPods }) => !hasReadyPods)) {
    const message = `Fleet ${key} has no ready pod${suspended ? ' and is suspended' : ''}`;
    return { status: 'Unknown', reason: 'NoReadyPods', message };
  }
  const waiting = late ? `Waiting for the pods of fleet ${key}` : 'Waiting for the gateway pods';
  return { status: 'Unknown', reason: 'Pending', message: suspended ? `Fleet ${key} is suspended` : waiting };
}

/** For a workspace that no fleet serves; names the first refused fleet that would. */
export function withoutFleet(workspace: string | null, refused: readonly PublishTarget[]): ProgrammedState {
  const none =
    workspace === null ? 'The organisation has no GatewayFleet' : `No GatewayFleet serves the workspace ${workspace}`;
  const [would] = refused
    .filter((target) => servesWorkspace(target, workspace))
    .toSorted((a, b) => byName(a.key, b.key));
  const message = would === undefined ? none : `${none}: fleet ${would.key} is refused`;
  return { status: 'False', reason: 'NoFleet', message };
}

/** The fleets that keep an object from being programmed, by name; idle ones count only where no fleet serves it. */
function fleetsBehind(fleets: readonly Fleet[], sequence: number): readonly Fleet[] {
  const unserved = fleets.filter(({ servedSequence }) => servedSequence < sequence).toSorted(byKey);
  const behind = unserved.filter((fleet) => !fleet.isIdleWith(sequence));
  return behind.length > 0 || unserved.length < fleets.length ? behind : unserved;
}

/** The first fleet by name that refuses an entry of the object. */
function refusalOf(fleets: readonly Fleet[], { origin, sequence }: ProgrammedQuery): ProgrammedState | undefined {
  for (const fleet of fleets.toSorted(byKey)) {
    const { reason, message = '' } = fleet.unservedEntry(origin, sequence) ?? {};
    if (reason === undefined) continue;
    const text = `Fleet ${fleet.target.key} ${reason === 'TooLarge' ? 'cannot be given it' : 'cannot use it'}: ${message}`;
    return { status: 'False', reason: 'Rejected', message: text.slice(0, MAX_MESSAGE) };
  }
  return undefined;
}

/** Longest message of a condition, in characters. */
const MAX_MESSAGE = 900;

const byName = (a: string, b: string): number => (a < b ? -1 : 1);
const byKey = (a: Fleet, b: Fleet): number => byName(a.target.key, b.target.key);
