/** Holds the current Snapshot: validates a new one, compiles what changed, swaps one reference. */
import { isReadable, type Revision, type Snapshot } from '@gatehouse/crds/snapshot';
import { type Catalogue, createCatalogue } from '../cost/index.ts';
import { type LoadContext, type LoadedSnapshot, loadEntries } from './load.ts';
import { EntryError } from './validate.ts';
import { type SnapshotView, toView } from './view.ts';

export interface SnapshotStatus {
  /** The version that is served; undefined before the first load. */
  readonly version: number | undefined;
  /** The epoch of the version; 0 when the source has none. */
  readonly epoch: number;
  /** Digest of the content that is served; undefined when the source has none. */
  readonly digest: string | undefined;
  readonly entries: number;
  /** The newest version that was refused, if none was loaded since. */
  readonly rejected: RejectedVersion | undefined;
  /** Entries the gateway cannot use, with the reason. At most 20 are named. */
  readonly skipped: readonly SkippedEntry[];
}

export interface RejectedVersion extends Revision {
  /** Id of the entry that caused the rejection, if one did. */
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
  load(version: number, snapshot: Snapshot, of?: Published): Promise<SnapshotStatus>;
  /** Records the rejection of a version that could not be read as a Snapshot. */
  refuse(revision: Revision, reason: string): void;
  /** Clears the rejection: the source shows the served version again. */
  clearRejection(): void;
  /** Called after every load and refusal. Returns the function that removes the listener. */
  onChange(listener: (status: SnapshotStatus) => void): () => void;
}

/** Revision and content digest of a published Snapshot. */
export interface Published {
  readonly epoch?: number;
  readonly digest?: string;
}

const MAX_NAMED_SKIPPED = 20;
/** Before the first load. */
export const NO_SNAPSHOT: SnapshotStatus = {
  version: undefined,
  epoch: 0,
  digest: undefined,
  entries: 0,
  rejected: undefined,
  skipped: [],
};

/** `catalogue`: where several holders share one. */
export function createSnapshotHolder({
  catalogue = createCatalogue(),
  ...options
}: LoadContext & { readonly catalogue?: Catalogue }): SnapshotHolder {
  const listeners = new Set<(status: SnapshotStatus) => void>();
  let loaded: LoadedSnapshot | undefined;
  let view: SnapshotView | undefined;
  let status = NO_SNAPSHOT;
  let queue: Promise<unknown> = Promise.resolve();

  const tell = (): void => {
    for (const listener of listeners) listener(status);
  };
  const loadNow = async (version: number, snapshot: Snapshot, origin: Published): Promise<SnapshotStatus> => {
    const { epoch = 0, digest } = origin;
    try {
      const { major, minor } = snapshot.schemaVersion;
      if (!isReadable(snapshot.schemaVersion)) throw new Error(`schemaVersion ${major}.${minor} is not readable`);
      loaded = await loadEntries(snapshot, loaded, options);
      view = toView(loaded.tables, version, loaded.organisation, catalogue);
      const { held } = loaded;
      status = { version, epoch, digest, entries: held.size, rejected: undefined, skipped: namedSkipped(loaded) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const entry = error instanceof EntryError ? { entry: error.id } : {};
      status = { ...status, rejected: { epoch, version, ...entry, reason } };
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
    load: (version, snapshot, origin = {}) => {
      const next = queue.then(() => loadNow(version, snapshot, origin));
      queue = next.catch(() => undefined); // a listener that throws must not stop later loads
      return next;
    },
    refuse: ({ epoch, version }, reason) => {
      status = { ...status, rejected: { epoch, version, reason } };
      tell();
    },
    clearRejection: () => {
      if (status.rejected === undefined) return;
      status = { ...status, rejected: undefined };
      tell();
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function namedSkipped({ skipped }: LoadedSnapshot): readonly SkippedEntry[] {
  return [...skipped].slice(0, MAX_NAMED_SKIPPED).map(([id, reason]) => ({ id, reason }));
}
