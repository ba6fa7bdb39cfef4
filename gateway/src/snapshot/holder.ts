/** Keeps the Snapshot that serves: validates a new one, compiles what changed, swaps one reference (DESIGN section 5). */
import { isReadable, type Snapshot } from '@gatehouse/crds/snapshot';
import { type LoadContext, type Loaded, loadEntries } from './load.ts';
import { EntryError } from './validate.ts';
import { type SnapshotView, toView } from './view.ts';

export interface SnapshotStatus {
  /** The version that serves; undefined before the first load. */
  readonly version: number | undefined;
  readonly entries: number;
  /** The newest version that was refused, if none was loaded since. */
  readonly rejected: RejectedVersion | undefined;
  /** Entries the gateway cannot use, with the reason. At most 20 are named. */
  readonly skipped: readonly SkippedEntry[];
}

export interface RejectedVersion {
  readonly version: number;
  /** Id of the entry that is to blame, if it is one. */
  readonly entry?: string;
  readonly reason: string;
}

export interface SkippedEntry {
  readonly id: string;
  readonly reason: string;
}

export interface SnapshotHolder {
  /** Undefined until the first Snapshot is loaded. */
  readonly current: SnapshotView | undefined;
  readonly status: SnapshotStatus;
  /** Loads a Snapshot, or refuses it and keeps the last good one. Loads run one after the other. */
  load(version: number, snapshot: Snapshot): Promise<SnapshotStatus>;
  /** Says that a version cannot be loaded, before it could become a Snapshot. */
  refuse(version: number, reason: string): void;
  /** Called after every load and refusal. Returns how to stop listening. */
  onChange(listener: (status: SnapshotStatus) => void): () => void;
}

const MAX_NAMED_SKIPPED = 20;

export function createSnapshotHolder(options: LoadContext): SnapshotHolder {
  const listeners = new Set<(status: SnapshotStatus) => void>();
  let loaded: Loaded | undefined;
  let view: SnapshotView | undefined;
  let status: SnapshotStatus = { version: undefined, entries: 0, rejected: undefined, skipped: [] };
  let queue: Promise<unknown> = Promise.resolve();

  const tell = (): void => {
    for (const listener of listeners) listener(status);
  };
  const loadNow = async (version: number, snapshot: Snapshot): Promise<SnapshotStatus> => {
    try {
      const { major, minor } = snapshot.schemaVersion;
      if (!isReadable(snapshot.schemaVersion)) throw new Error(`schemaVersion ${major}.${minor} is not readable`);
      loaded = await loadEntries(snapshot, loaded, options);
      view = toView(loaded.tables, version, loaded.organisation);
      status = { version, entries: loaded.held.size, rejected: undefined, skipped: namedSkipped(loaded) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const entry = error instanceof EntryError ? { entry: error.id } : {};
      status = { ...status, rejected: { version, ...entry, reason } };
    }
    tell();
    return status;
  };

  return {
    get current() {
      return view;
    },
    get status() {
      return status;
    },
    load: (version, snapshot) => {
      const next = queue.then(() => loadNow(version, snapshot));
      queue = next.catch(() => undefined); // a listener that throws must not stop later loads
      return next;
    },
    refuse: (version, reason) => {
      status = { ...status, rejected: { version, reason } };
      tell();
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function namedSkipped({ skipped }: Loaded): readonly SkippedEntry[] {
  return [...skipped].slice(0, MAX_NAMED_SKIPPED).map(([id, reason]) => ({ id, reason }));
}
