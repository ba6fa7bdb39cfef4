/** What a command may use of the process around it. */
import type { Variables } from '@gatehouse/gateway';

export interface Shell {
  readonly variables: Variables;
  /** Whether a person looks at standard output. */
  readonly interactive: boolean;
  /** Writes a line to standard output. */
  out(line: string): void;
  /** Writes a line to standard error. */
  err(line: string): void;
  /** Calls for every SIGTERM and SIGINT until told to stop. */
  onStop(listener: (signal: StopSignal) => void): () => void;
  /** Calls for every error that nobody caught; the process goes on (behaviour-lifecycle 1.1). */
  onFault(listener: (error: unknown) => void): void;
  /** Ends the process now. */
  exit(code: number): never;
}

export type StopSignal = 'SIGTERM' | 'SIGINT';

/** 128 and the number of the signal, as shells have it. */
export const STOP_CODES: Readonly<Record<StopSignal, number>> = { SIGINT: 130, SIGTERM: 143 };

/** A reason to end with status 1 and this line. */
export class CommandError extends Error {}

/** A reason to end with status 2, this line, and where help is. */
export class UsageError extends Error {}
