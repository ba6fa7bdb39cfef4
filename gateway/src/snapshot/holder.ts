/** Keeps the Snapshot that serves: validates a new one, compiles what changed, swaps one reference (DESIGN section 5). */
import { type AnyEntry, ENTRY_BODIES, isReadable, type Snapshot } from '@gatehouse/crds/snapshot';
import { z } from 'zod';
import { forEachInSlices } from '../lib/slices.ts';
import type { Provider } from '../providers/contract.ts';
import { type Compiled, type Credentials, compileEntry } from './compile.ts';
import type { OrganisationRecord } from './records.ts';
import { SnapshotIndex, type SnapshotView } from './view.ts';

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

const entryShape = z.looseObject({
  kind: z.string(),
  id: z.string(),
  workspace: z.string().nullable(),
  generation: z.number(),
  digest: z.string(),
});

/** One entry of the serving Snapshot: reused as it is while its digests stay the same. */
interface Held {
  readonly digest: string;
  readonly compiled: Compiled | undefined;
  readonly entry: AnyEntry;
}

type HeldEntries = ReadonlyMap<string, Held>;

interface Loaded {
  readonly view: SnapshotView;
  readonly held: HeldEntries;
  readonly skipped: readonly SkippedEntry[];
}

export function createSnapshotHolder(options: { readonly providers: ReadonlyMap<string, Provider> }): SnapshotHolder {
  const listeners = new Set<(status: SnapshotStatus) => void>();
  let loaded: Loaded | undefined;
  let status: SnapshotStatus = { version: undefined, entries: 0, rejected: undefined, skipped: [] };
  let queue: Promise<unknown> = Promise.resolve();

  const tell = (): void => {
    for (const listener of listeners) listener(status);
  };
  const loadNow = async (version: number, snapshot: Snapshot): Promise<SnapshotStatus> => {
    try {
      loaded = await build(version, snapshot, { ...options, previous: loaded?.held ?? new Map() });
      status = { version, entries: loaded.held.size, rejected: undefined, skipped: loaded.skipped };
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
      return loaded?.view;
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

interface BuildOptions {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly previous: HeldEntries;
}

async function build(version: number, snapshot: Snapshot, { providers, previous }: BuildOptions): Promise<Loaded> {
  const { major, minor } = snapshot.schemaVersion;
  if (!isReadable(snapshot.schemaVersion)) throw new Error(`schemaVersion ${major}.${minor} is not readable`);

  const entries: AnyEntry[] = [];
  const credentials = new Map<string, ReadonlyMap<string, string>>();
  const credentialDigests = new Map<string, string>();
  let organisation: OrganisationRecord = { savedConfigsOnly: false, headersToMask: [] };
  await forEachInSlices(snapshot.entries, (raw) => {
    const before = previous.get(raw.id)?.entry;
    const entry = before?.digest === raw.digest ? before : validate(raw);
    if (entry === undefined) return;
    entries.push(entry);
    if (entry.kind === 'organisation') organisation = entry.body;
    if (entry.kind === 'credential') {
      credentials.set(entry.id, new Map(Object.entries(entry.body.fields)));
      credentialDigests.set(entry.id, entry.digest);
    }
  });

  const index = new SnapshotIndex();
  const held = new Map<string, Held>();
  const skipped: SkippedEntry[] = [];
  await forEachInSlices(entries, (entry) => {
    const digest = entry.digest + credentialKey(entry, credentialDigests);
    const before = previous.get(entry.id);
    const compiled =
      before?.digest === digest
        ? before.compiled
        : compileEntry(entry, { providers, credentials: credentials as Credentials });
    held.set(entry.id, { digest, compiled, entry });
    if (compiled?.kind === 'skipped') skipped.push({ id: entry.id, reason: compiled.reason });
    else if (compiled !== undefined) addTo(index, compiled);
  });
  return { view: index.toView(version, organisation), held, skipped: skipped.slice(0, MAX_NAMED_SKIPPED) };
}

/** Digests of the credentials an entry is compiled with: a rotated secret recompiles its users. */
function credentialKey(entry: AnyEntry, digests: ReadonlyMap<string, string>): string {
  if (entry.kind === 'provider') return `+${digests.get(entry.body.credential ?? '') ?? ''}`;
  if (entry.kind !== 'config') return '';
  const ids = new Set<string>();
  const pending = [entry.body.node];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.credential !== undefined) ids.add(node.credential);
    pending.push(...(node.targets ?? []));
  }
  return [...ids].sort().reduce((key, id) => `${key}+${digests.get(id) ?? ''}`, '');
}

/** An entry that makes its Snapshot unusable. */
class EntryError extends Error {
  readonly id: string;

  constructor(id: string, message: string) {
    super(message);
    this.id = id;
  }
}

/** Entry kinds of a newer minor version are not known here and are left out; a broken entry refuses the Snapshot. */
function validate(raw: AnyEntry): AnyEntry | undefined {
  const shape = entryShape.safeParse(raw);
  if (!shape.success) throw new Error(`an entry is malformed: ${shape.error.issues[0]?.message ?? ''}`);
  if (!Object.hasOwn(ENTRY_BODIES, raw.kind)) return undefined;
  const body = ENTRY_BODIES[raw.kind].safeParse(raw.body);
  if (!body.success) {
    const [issue] = body.error.issues;
    throw new EntryError(raw.id, `entry ${raw.id}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
  }
  return raw;
}

function addTo(index: SnapshotIndex, compiled: Exclude<Compiled, { kind: 'skipped' }>): void {
  switch (compiled.kind) {
    case 'key':
      index.addKey(compiled.record, compiled.hashes);
      return;
    case 'provider':
      index.addProvider(compiled.record);
      return;
    case 'config':
      index.addConfig(compiled.record);
      return;
    case 'workspace':
      index.addWorkspace(compiled.record);
      return;
    case 'sidecar':
      index.addSidecar(compiled.record);
      return;
  }
}
