/** Metrics of the operator besides those of its runtime. */
import { OWN_IDENTITY_MANAGERS } from '@gatehouse/crds/kinds';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { ALERT_OUTCOMES, type AlertOutcome } from '../alerts/index.ts';
import { FETCH_OUTCOMES, type FetchOutcome } from '../secret-managers/index.ts';
import type { FindingReason, Translation } from '../translate/index.ts';
import type { ReviewReport } from '../webhook/index.ts';

export interface OperatorMetrics extends TranslationMetrics {
  readonly onReview: (report: ReviewReport) => void;
  /** Sets where the number of streams is read from when metrics are scraped. */
  observeStreams(streams: () => number): void;
  /** An alert for a webhook was sent or given up. */
  readonly onAlert: (outcome: AlertOutcome) => void;
  /** A secret was fetched from a manager, or was not. */
  readonly onFetched: (manager: string, outcome: FetchOutcome) => void;
  /** Sets where the number of objects with a used up budget is read from. */
  observeExhausted(exhausted: () => number): void;
}

interface OperatorGauges {
  translation(): Translation | undefined;
  unreadSecrets(): number;
}

/** Registers all metrics besides those of the runtime. */
export function createOperatorMetrics(
  registry: Registry,
  { translation, unreadSecrets }: OperatorGauges,
): OperatorMetrics {
  const registers = [registry];
  const reviews = new Counter({ ...APP_METRICS.reviews, registers });
  const alerts = new Counter({ ...APP_METRICS.alerts, registers });
  for (const outcome of ALERT_OUTCOMES) alerts.inc({ outcome }, 0);
  const fetches = new Counter({ ...APP_METRICS.secretFetches, registers });
  for (const manager of OWN_IDENTITY_MANAGERS)
    for (const outcome of FETCH_OUTCOMES) fetches.inc({ manager, outcome }, 0);
  let exhaustedOf = (): number => 0;
  registerGauge(registry, APP_METRICS.exhausted, () => exhaustedOf());
  let streamsOf = (): number => 0;
  const streams: Gauge = new Gauge({
    ...APP_METRICS.streams,
    registers,
    collect: () => {
      streams.set(streamsOf());
    },
  });
  return {
    ...createTranslationMetrics(registry, {
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
    onAlert: (outcome) => alerts.inc({ outcome }),
    onFetched: (manager, outcome) => fetches.inc({ manager, outcome }),
    observeExhausted: (read) => {
      exhaustedOf = read;
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

/** Around the goals for propagation: 150 ms for half of all changes, a second for nearly all. */
const PROPAGATION_SECONDS = [0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 0.75, 1, 2, 5, 10, 30, 60];

const TRANSLATION_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Every metric of the operator besides those of its runtime. */
export const APP_METRICS = {
  propagation: {
    name: 'gatehouse_operator_propagation_seconds',
    help: 'Time from seeing a change at the API server until every ready pod of a fleet serves it',
  },
  translation: {
    name: 'gatehouse_operator_translation_duration_seconds',
    help: 'Time one translation of the resources took',
  },
  entries: { name: 'gatehouse_operator_snapshot_entries', help: 'Entries of the Snapshot of all workspaces' },
  verdicts: {
    name: 'gatehouse_operator_refused_objects',
    help: 'Objects of our kinds that are not accepted or have references that do not resolve',
  },
  failedObjects: {
    name: 'gatehouse_operator_failed_objects',
    help: 'Objects of our kinds on which the operator fails: a fault of its own, each named in its log',
  },
  overQuota: {
    name: 'gatehouse_operator_over_quota_objects',
    help: 'Objects of our kinds that are not read, since older ones take up the quota of their workspace',
  },
  failures: {
    name: 'gatehouse_operator_translation_failures_total',
    help: 'Translations of the resources that failed as a whole',
  },
  unreadSecrets: {
    name: 'gatehouse_operator_unread_secrets',
    help: 'Secrets that resources name and the operator does not read, since they name too many',
  },
  reviews: {
    name: 'gatehouse_operator_admission_reviews_total',
    help: 'Admission reviews, by webhook and outcome',
    labelNames: ['webhook', 'outcome'],
  },
  exhausted: {
    name: 'gatehouse_operator_exhausted_objects',
    help: 'Objects with a budget that is used up, as pods report to the leader',
  },
  alerts: {
    name: 'gatehouse_operator_budget_alerts_total',
    help: 'Alerts about budgets, by webhook each, and what became of them',
    labelNames: ['outcome'],
  },
  secretFetches: {
    name: 'gatehouse_operator_secret_fetches_total',
    help: 'Fetches of secrets from secret managers, by manager and outcome (ok, failed); after a failure the last value is kept',
    labelNames: ['manager', 'outcome'],
  },
  streams: {
    name: 'gatehouse_operator_sidecar_streams',
    help: 'Sidecars that are sent their Snapshot by this process',
  },
} as const;

export interface TranslationMetrics {
  readonly onPropagated: (seconds: number) => void;
  readonly onTranslated: (seconds: number) => void;
  readonly onFailure: () => void;
}

interface Gauges {
  entries(): number;
  refused(): number;
  failed(): number;
  overQuota(): number;
  unreadSecrets(): number;
}

/** Registers the metrics; gauges are read when metrics are scraped. */
export function createTranslationMetrics(registry: Registry, gauges: Gauges): TranslationMetrics {
  const registers = [registry];
  const propagation = new Histogram({ ...APP_METRICS.propagation, registers, buckets: PROPAGATION_SECONDS });
  const translation = new Histogram({ ...APP_METRICS.translation, registers, buckets: TRANSLATION_SECONDS });
  registerGauge(registry, APP_METRICS.entries, gauges.entries);
  registerGauge(registry, APP_METRICS.verdicts, gauges.refused);
  registerGauge(registry, APP_METRICS.failedObjects, gauges.failed);
  registerGauge(registry, APP_METRICS.overQuota, gauges.overQuota);
  const failures = new Counter({ ...APP_METRICS.failures, registers });
  registerGauge(registry, APP_METRICS.unreadSecrets, gauges.unreadSecrets);
  return {
    onPropagated: (seconds) => propagation.observe(seconds),
    onTranslated: (seconds) => translation.observe(seconds),
    onFailure: () => failures.inc(),
  };
}

interface GaugeRow {
  readonly name: string;
  readonly help: string;
}

function registerGauge(registry: Registry, row: GaugeRow, read: () => number): void {
  const gauge: Gauge = new Gauge({
    ...row,
    registers: [registry],
    collect: () => {
      gauge.set(read());
    },
  });
}
