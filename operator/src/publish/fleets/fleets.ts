/** All fleets of the installation: who is there, what each of them gets, and how far its pods are. */
import { type Clock, type Log, systemClock } from '../../runtime/index.ts';
import type { Translated } from '../../world/index.ts';
import { type Edition, Fleet } from './fleet.ts';
import { concerns, placementId, snapshotFor } from './fleet-snapshot.ts';
import type { FleetCounts, FleetPlace, FleetPorts } from './ports.ts';
import type { Programming, Question } from './programming.ts';
import { byName, noFleet, toProgramming } from './programming.ts';

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
