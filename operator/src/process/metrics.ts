import { Counter, Gauge, type Registry } from 'prom-client';
import { createProgramMetrics, type ProgramMetrics } from '../program/index.ts';
import type { FindingReason, Translation } from '../translate/index.ts';
import type { ReviewReport } from '../webhook/index.ts';

/** Metrics of the doors that every replica keeps. */
export const FRONT_DESK_METRICS = {
  reviews: {
    name: 'gatehouse_operator_admission_reviews_total',
    help: 'Admission reviews, by webhook and outcome',
    labelNames: ['webhook', 'outcome'],
  },
  streams: {
    name: 'gatehouse_operator_sidecar_streams',
    help: 'Sidecars that are sent their Snapshot by this process',
  },
} as const;

export interface OperatorMetrics extends ProgramMetrics {
  readonly onReview: (report: ReviewReport) => void;
  /** Where to read the number of streams from, whenever the metrics are read. */
  observeStreams(streams: () => number): void;
}

interface OperatorGauges {
  translation(): Translation | undefined;
  unreadSecrets(): number;
}

/** Registers everything that is not the runtime's. */
export function createOperatorMetrics(
  registry: Registry,
  { translation, unreadSecrets }: OperatorGauges,
): OperatorMetrics {
  const registers = [registry];
  const reviews = new Counter({ ...FRONT_DESK_METRICS.reviews, registers });
  let streamsOf = (): number => 0;
  const streams: Gauge = new Gauge({
    ...FRONT_DESK_METRICS.streams,
    registers,
    collect: () => {
      streams.set(streamsOf());
    },
  });
  return {
    ...createProgramMetrics(registry, {
      entries: () => translation()?.snapshot.entries.length ?? 0,
      refused: () => refusedIn(translation()),
      failed: () => countReason(translation(), 'InternalError'),
      overQuota: () => countReason(translation(), 'QuotaExceeded'),
      unreadSecrets,
    }),
    onReview: ({ path, outcome }) => reviews.inc({ webhook: path.slice(1), outcome }),
    observeStreams: (read) => {
      streamsOf = read;
    },
  };
}

function countReason(translation: Translation | undefined, reason: FindingReason): number {
  const verdicts = translation?.verdicts ?? [];
  return verdicts.filter(({ conditions }) => conditions.Accepted.reason === reason).length;
}

function refusedIn(translation: Translation | undefined): number {
  const verdicts = translation?.verdicts ?? [];
  return verdicts.filter(({ conditions }) => Object.values(conditions).some(({ status }) => status === 'False')).length;
}
