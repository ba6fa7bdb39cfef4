import type { RunOutcome } from './run-result.ts';

/** One finished run. */
export interface RunReport {
  readonly controller: string;
  readonly outcome: RunOutcome;
  /** The reason of the failure; undefined when there was none. */
  readonly failure: string | undefined;
  readonly seconds: number;
  /** How long the key was ready before a worker took it. */
  readonly waitedSeconds: number;
}

export interface ControllerMetrics {
  /** Called once per controller, before its first run. */
  observeQueue(controller: string, queue: { readonly depth: number }): void;
  reconciled(report: RunReport): void;
}
