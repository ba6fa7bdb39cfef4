/** A store of objects that keeps documents of the request log. */
import type { CancelSignal } from '../../lib/cancellation.ts';

export interface DocumentStore {
  /** For logs. */
  readonly name: string;
  /** Puts it in place of what was there. Rejects with StoreFailure, or the reason of the signal. */
  put(key: string, bytes: Buffer, options: PutOptions): Promise<void>;
  /** Whether a document was refused for what it is: another try is refused, too, and others are taken. */
  isRefusal(error: unknown): boolean;
  /** Removes what was written before an instant, in Unix time in ms, where the store has no rules of its own for that. */
  dropBefore(ms: number): Promise<void>;
  close(): Promise<void>;
}

export interface PutOptions {
  readonly signal: CancelSignal;
  /** Unix time in ms until which it is kept; undefined: for ever. */
  readonly keptUntilMs: number | undefined;
}

export interface DocumentToKeep {
  readonly key: string;
  readonly bytes: Buffer;
  /** Unix time in ms; undefined: for ever. */
  readonly keptUntilMs: number | undefined;
}
