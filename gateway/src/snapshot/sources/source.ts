import type { SnapshotHolder } from '../holder.ts';

/** A source of Snapshots for the lifetime of the process. */
export interface SnapshotSource {
  /** Starts in the background; returns at once. */
  start(): void;
  /** The state shown by `/internal/status`. */
  status(): SourceStatus;
  close(): Promise<void>;
}

export interface SourceStatus {
  readonly source: 'kubernetes' | 'sidecar';
  /** Whether changes would arrive: the control plane answers. */
  readonly connected: boolean;
  /** Where the served Snapshot came from. */
  readonly servedFrom: string | undefined;
  /** Why a newer Snapshot is not served. */
  readonly problem: string | undefined;
}

type Write = (fields: object, message: string) => void;

/** The logger of a source; fields never hold entries. */
export interface SourceLog {
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
}

export interface SourceOptions {
  readonly snapshots: SnapshotHolder;
  readonly log: SourceLog;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Called when `connected` changes. */
  readonly onConnected: (connected: boolean) => void;
}
