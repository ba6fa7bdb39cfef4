/**
 * All fleets: creates and closes them, gives each its part of the Snapshot, and answers whether an object is programmed.
 */
import type { Explanation } from '@gatehouse/crds/conditions';
import { type Clock, type Log, systemClock } from '../../runtime/index.ts';
import type { Translated } from '../../world/index.ts';
import { Fleet, type FleetSnapshot } from './fleet.ts';
import { placementKey, servesWorkspace, snapshotFor } from './fleet-snapshot.ts';
import type { FleetCounts, FleetPorts, PublishTarget } from './ports.ts';
import type { ProgrammedQuery, ProgrammedState } from './programmed.ts';
import { toProgrammedState, withoutFleet } from './programmed.ts';

export interface FleetsOptions {
  readonly ports: FleetPorts;
  readonly onPropagated: (seconds: number) => void;
  /** The counts of a fleet have changed. */
  readonly onChange: (key: string) => void;
  /** A fleet has made progress, or waits for something else than before. */
  readonly onProgress: () => void;
  /** The entries of some objects that the pods of a fleet do not serve have changed. */
  readonly onUnservedChange: (origins: ReadonlySet<string>) => void;
  /** What a fleet counts limits in has changed; `serves` tells which workspaces it has. */
  readonly onCountersChange: (serves: (workspace: string) => boolean) => void;
  /** The workspaces that fleets serve have changed. */
  readonly onPlacementChange: () => void;
  readonly log: Log;
  readonly clock?: Clock;
}

export interface Fleets {
  /** Sets the fleets, and publishes to them. */
  publish(targets: readonly PublishTarget[], translated: Translated): void;
  /** To be called when pods have come, gone or become ready. */
  updatePods(): void;
  programmedStateOf(query: ProgrammedQuery): ProgrammedState;
  countsOf(key: string): FleetCounts | undefined;
  /** Why limits of a workspace hold for each fleet by itself; undefined: they hold for all of them, or it is not known. */
  countedApart(workspace: string): Explanation | undefined;
  /** Ends all publishing. */
  close(): Promise<void>;
}

interface RunningFleet {
  readonly fleet: Fleet;
  readonly uid: string;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** `signal` must end with the lease: nothing is written after it. */
export function createFleets(options: FleetsOptions, signal: AbortSignal): Fleets {
  const { ports, log, onPropagated, onUnservedChange, onPlacementChange, clock = systemClock } = options;
  const entries = new Map<string, RunningFleet>();
  const leaving = new Set<Promise<void>>();
  let refused: readonly PublishTarget[] = [];
  let arrangement = '';

  const open = (target: PublishTarget): RunningFleet => {
    const stop = new AbortController();
    const tell = createTeller(options, () => fleet);
    const onAnswer = (): void => {
      fleet.settle();
      tell();
    };
    const parts = ports.createParts(target.identity, onAnswer, () => fleet.target);
    const fleet: Fleet = new Fleet({ target, parts, log, clock, onChange: tell, onUnservedChange, onPropagated });
    const ended = fleet.run(AbortSignal.any([signal, stop.signal]));
    return { fleet, uid: target.identity.uid, stop, ended };
  };
  const close = (key: string, { fleet, stop, ended }: RunningFleet): void => {
    stop.abort(new Error('the fleet is gone'));
    entries.delete(key);
    const left = Promise.all([ended, fleet.close()]).then(() => {
      leaving.delete(left);
    });
    leaving.add(left);
  };
  const arrange = (targets: readonly PublishTarget[]): void => {
    refused = targets.filter((target) => target.refused);
    const wanted = new Map(targets.filter((target) => !target.refused).map((target) => [target.key, target]));
    for (const [key, entry] of entries) if (wanted.get(key)?.identity.uid !== entry.uid) close(key, entry);
    for (const target of wanted.values()) {
      const known = entries.get(target.key);
      if (known === undefined) entries.set(target.key, open(target));
      else known.fleet.target = target;
    }
    const next = JSON.stringify(
      targets.map((target) => [target.key, target.identity.uid, placementKey(target)]).sort(),
    );
    if (next !== arrangement) queueMicrotask(onPlacementChange);
    arrangement = next;
  };
  const updatePods = (): void => {
    for (const { fleet } of entries.values()) fleet.setPods(ports.podsOf(fleet.target));
  };
  const responsibleFleets = (workspace: string | null): Fleet[] =>
    [...entries.values()].map(({ fleet }) => fleet).filter(({ target }) => servesWorkspace(target, workspace));

  return {
    publish: (targets, { translation, sequence, sinceMs, unreadFleets }) => {
      arrange(targets);
      updatePods();
      for (const { fleet } of entries.values()) {
        if (unreadFleets?.has(fleet.target.key)) continue;
        const wanted: FleetSnapshot = { sequence, sinceMs, snapshot: snapshotFor(fleet.target, translation.snapshot) };
        fleet.setSnapshot(wanted);
      }
    },
    updatePods,
    programmedStateOf: (query) => {
      const { workspace } = query;
      const fleets = responsibleFleets(workspace);
      return fleets.length > 0 ? toProgrammedState(fleets, query) : withoutFleet(workspace, refused);
    },
    countsOf: (key) => entries.get(key)?.fleet.counts(),
    countedApart: (workspace) => toCountedApart(responsibleFleets(workspace)),
    close: async () => {
      for (const [key, entry] of [...entries]) close(key, entry);
      await Promise.all(leaving);
    },
  };
}

/** Tells what has changed of a fleet since the last call. */
function createTeller(
  { onChange, onCountersChange, onProgress }: FleetsOptions,
  current: () => Pick<Fleet, 'target' | 'counters' | 'progress'>,
): () => void {
  let progress = '';
  let counters: string | undefined;
  return () => {
    const fleet = current();
    onChange(fleet.target.key);
    if (fleet.counters !== counters) {
      counters = fleet.counters;
      onCountersChange((workspace) => servesWorkspace(fleet.target, workspace));
    }
    if (fleet.progress === progress) return;
    progress = fleet.progress;
    onProgress();
  };
}

/** Fleets that are named in a message. */
const MAX_NAMED = 4;

/** Fleets of which it is not known say nothing. */
function toCountedApart(fleets: readonly Fleet[]): Explanation | undefined {
  const known = fleets.filter(({ counters }) => counters !== undefined);
  if (new Set(known.map(({ counters }) => counters)).size < 2) return undefined;
  const names = known.map(({ target }) => target.key).sort();
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  const named = `${names.slice(0, MAX_NAMED).join(', ')}${more}`;
  const message = `The fleets ${named} serve the workspace and do not use one Redis: limits and budgets hold for each of them`;
  return { reason: 'StoresDiffer', message };
}
