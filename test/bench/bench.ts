import type { Processes } from './processes.ts';

export interface Tools {
  readonly nginx: string;
  readonly wrk: string;
  readonly redis: string;
}

/** What every measurement needs. */
export interface Bench {
  readonly tools: Tools;
  readonly processes: Processes;
  /** For configurations and Snapshots; gone after the run. */
  readonly directory: string;
  /** Length of one measurement; each is repeated `rounds` times. */
  readonly seconds: number;
  readonly rounds: number;
  /** What other programs use of the machine anyway, as a share of one core. */
  readonly background: number;
  /** Peers that are left out. */
  readonly without: ReadonlySet<string>;
  /** A Git revision whose gateway is measured, too. */
  readonly against?: string;
  say(text: string): void;
}
