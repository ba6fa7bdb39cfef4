/** The parts of the process that commands use. */
import type { Variables } from '@gatehouse/gateway';

export interface Shell {
  readonly variables: Variables;
  /** Whether standard output is a terminal. */
  readonly interactive: boolean;
  /** Writes a line to standard output. */
  out(line: string): void;
  /** Writes a line to standard error. */
  err(line: string): void;
  /** Calls the listener for every SIGTERM and SIGINT until the returned function is called. */
  onStop(listener: (signal: StopSignal) => void): () => void;
  /** Calls the listener for every uncaught error; the process continues. */
  onFault(listener: (error: unknown) => void): void;
  /** Ends the process immediately. */
  exit(code: number): never;
}

export type StopSignal = 'SIGTERM' | 'SIGINT';

/** 128 plus the number of the signal, as shells do. */
export const STOP_CODES: Readonly<Record<StopSignal, number>> = { SIGINT: 130, SIGTERM: 143 };

/** Ends the command with status 1 and this message. */
export class CommandError extends Error {}

/** Ends the command with status 2, this message and a hint to the help. */
export class UsageError extends Error {}
