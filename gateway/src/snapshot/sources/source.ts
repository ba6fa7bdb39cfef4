import type { SnapshotHolder } from '../holder.ts';

/** Where Snapshots come from, for as long as the process lives. */
export interface SnapshotSource {
  /** Begins to look; returns at once. */
  start(): void;
  /** What `/internal/status` shows of it. */
  status(): SourceStatus;
  close(): Promise<void>;
}

export interface SourceStatus {
  readonly source: 'kubernetes' | 'sidecar';
  /** Whether news would arrive: the control plane answers. */
  readonly connected: boolean;
  /** Where what serves came from. */
  readonly servedFrom: string | undefined;
  /** What keeps something newer from being served. */
  readonly problem: string | undefined;
}

type Write = (fields: object, message: string) => void;

/** What a source needs of a logger; fields never hold entries. */
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
