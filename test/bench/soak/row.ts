import { verdictAtMost } from '../rows/verdict.ts';
import { formatNumber, type Row, type Verdict } from '../table.ts';
import { fitSlope, inBlocks, type Point } from './slope.ts';
import type { TrafficResult } from './traffic.ts';

export interface Soak {
  readonly what: string;
  readonly ratePerSecond: number;
  readonly result: TrafficResult;
  /** Of each gateway in the second half: ms, MB. */
  readonly memory: readonly (readonly Point[])[];
}

const HOUR_MS = 3_600_000;
const BLOCKS = 30;
/** A slope within so many standard errors is none. */
const ERRORS = 2;
/** MB in an hour; less than that is no leak that anyone would find. */
const LEAST = 1;

/** The line of the table for a soak. */
export function soakRow({ what, ratePerSecond, result, memory }: Soak): Row {
  const { sent, failed, unsent, latency } = result;
  return {
    what,
    peer: 'Gatehouse × 2',
    requestsPerSecond: ratePerSecond,
    p50Ms: latency.p50 / 1_000,
    p99Ms: latency.p99 / 1_000,
    rssMb: Math.max(0, ...memory.flat().map(({ y }) => y)),
    verdicts: [
      {
        ...verdictAtMost(failed, 0, (count) => `${count} failed`),
        measured: `${failed} of ${formatNumber(sent)} failed`,
      },
      verdictAtMost(unsent, 0, (count) => `${count} not sent in time`),
      ...memory.map(slopeVerdict),
    ],
  };
}

/** Whether memory grew by more than the scatter of the samples explains. */
function slopeVerdict(samples: readonly Point[]): Verdict {
  const perHour = samples.map(({ x, y }) => ({ x: x / HOUR_MS, y }));
  const { slope, error } = fitSlope(inBlocks(perHour, BLOCKS));
  const verdict = verdictAtMost(slope, Math.max(ERRORS * error, LEAST), (mb) => `${mb} MB/h`);
  return { ...verdict, measured: `${formatNumber(slope)} ± ${formatNumber(error)} MB/h RSS` };
}
