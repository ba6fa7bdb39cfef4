/** All fleets of the installation: who is there, what each of them gets, and how far its pods are. */
import { type Clock, type Log, systemClock } from '../runtime/index.ts';
import { concerns, placementId, snapshotFor } from './editions.ts';
import { type Edition, Fleet } from './fleet.ts';
import type { FleetCounts, FleetPlace, FleetPorts } from './ports.ts';
import type { Programming } from './status.ts';
import { PROGRAMMED } from './status.ts';
import type { Translated } from './translations.ts';

export interface FleetsOptions {
  readonly ports: FleetPorts;
  readonly onPropagated: (seconds: number) => void;
  /** The counts of a fleet have changed. */
  readonly onChange: (key: string) => void;
  /** A fleet has got further, or is held up by something else than before. */
  readonly onProgress: () => void;
  /** What the pods of a fleet do not serve of some objects has changed. */
  readonly onLeftOut: (origins: ReadonlySet<string>) => void;
  /** Which workspaces fleets serve has changed. */
  readonly onRearranged: () => void;
  readonly log: Log;
  readonly clock?: Clock;
}

export interface Fleets {
  /** The fleets there are, and what there is to publish. */
  publish(places: readonly FleetPlace[], translated: Translated): void;
  /** Pods have come, gone or turned ready. */
  updatePods(): void;
  programmingOf(question: Question): Programming;
  countsOf(key: string): FleetCounts | undefined;
  /** Ends all publishing. */
  close(): Promise<void>;
}

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

interface Entry {
  readonly fleet: Fleet;
  readonly uid: string;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** The signal ends with the lease: nothing is written after it. */
export function createFleets(options: FleetsOptions, signal: AbortSignal): Fleets {
  const { ports, log, onChange, onPropagated, onLeftOut, onRearranged, clock = systemClock } = options;
  const entries = new Map<string, Entry>();
  const leaving = new Set<Promise<void>>();
  let refused: readonly FleetPlace[] = [];
  let arrangement = '';

  const open = (place: FleetPlace): Entry => {
    const stop = new AbortController();
    let progress = '';
    const tell = (): void => {
      onChange(place.key);
      if (fleet.progress === progress) return;
      progress = fleet.progress;
      options.onProgress();
    };
    const onAnswer = (): void => {
      fleet.settle();
      tell();
    };
    const parts = ports.createParts(place.identity, onAnswer);
    const fleet: Fleet = new Fleet({ place, parts, log, clock, onChange: tell, onLeftOut, onPropagated });
    const ended = fleet.run(AbortSignal.any([signal, stop.signal]));
    return { fleet, uid: place.identity.uid, stop, ended };
  };
  const close = (key: string, { fleet, stop, ended }: Entry): void => {
    stop.abort(new Error('the fleet is gone'));
    entries.delete(key);
    const left = Promise.all([ended, fleet.close()]).then(() => {
      leaving.delete(left);
    });
    leaving.add(left);
  };
  const arrange = (places: readonly FleetPlace[]): void => {
    refused = places.filter((place) => place.refused);
    const wanted = new Map(places.filter((place) => !place.refused).map((place) => [place.key, place]));
    for (const [key, entry] of entries) if (wanted.get(key)?.identity.uid !== entry.uid) close(key, entry);
    for (const place of wanted.values()) {
      const known = entries.get(place.key);
      if (known === undefined) entries.set(place.key, open(place));
      else known.fleet.place = place;
    }
    const next = JSON.stringify(places.map((place) => [place.key, place.identity.uid, placementId(place)]).sort());
    if (next !== arrangement) queueMicrotask(onRearranged);
    arrangement = next;
  };
  const updatePods = (): void => {
    for (const { fleet } of entries.values()) fleet.setPods(ports.podsOf(fleet.place));
  };
  const concerned = (workspace: string | null): Fleet[] =>
    [...entries.values()].map(({ fleet }) => fleet).filter(({ place }) => concerns(place, workspace));

  return {
    publish: (places, { translation, sequence, sinceMs, unread }) => {
      arrange(places);
      updatePods();
      for (const { fleet } of entries.values()) {
        if (unread?.has(fleet.place.key)) continue;
        const edition: Edition = { sequence, sinceMs, snapshot: snapshotFor(fleet.place, translation.snapshot) };
        fleet.want(edition);
      }
    },
    updatePods,
    programmingOf: (question) => {
      const { workspace } = question;
      const fleets = concerned(workspace);
      if (fleets.length > 0) return toProgramming(fleets, question);
      const [would] = refused.filter((place) => concerns(place, workspace)).toSorted((a, b) => byName(a.key, b.key));
      return { status: 'False', reason: 'NoFleet', message: noFleet(workspace, would) };
    },
    countsOf: (key) => entries.get(key)?.fleet.counts(),
    close: async () => {
      for (const [key, entry] of [...entries]) close(key, entry);
      await Promise.all(leaving);
    },
  };
}

function toProgramming(fleets: readonly Fleet[], question: Question): Programming {
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

const byName = (a: string, b: string): number => (a < b ? -1 : 1);
const byKey = (a: Fleet, b: Fleet): number => byName(a.place.key, b.place.key);

/** Longest message of a condition in characters. */
const MAX_MESSAGE = 900;

function noFleet(workspace: string | null, refused: FleetPlace | undefined): string {
  const who =
    workspace === null ? 'The organisation has no GatewayFleet' : `No GatewayFleet serves the workspace ${workspace}`;
  return refused === undefined ? who : `${who}: fleet ${refused.key} is refused`;
}
