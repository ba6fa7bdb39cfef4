/** One scrape over several processes. */
import { AggregatorRegistry, Gauge, type MetricObjectWithValues, type MetricType, type MetricValue } from 'prom-client';
import { createCounter } from './capped.ts';
import { createProcessRegistry, type ProcessLabels } from './process-registry.ts';

/** Metrics of the parent of several processes. */
export const WORKER_METRICS = {
  workers: { name: 'gatehouse_workers', help: 'Worker processes of `gatehouse standalone` that serve', labels: [] },
  restarts: {
    name: 'gatehouse_worker_restarts_total',
    help: 'Worker processes that ended while they should serve, and were replaced',
    labels: [],
  },
} as const;

/** All metrics of one process. */
export type MetricReport = readonly MetricObjectWithValues<MetricValue<string>>[];

export interface MetricsSum {
  /** Replaces the report of a process. */
  put(id: number, report: MetricReport): void;
  /** The process has ended: what it counted stays in the sums, its gauges leave. */
  end(id: number): void;
  /** Prometheus text format. */
  text(): Promise<string>;
  readonly contentType: string;
  /** Of the parent itself. */
  readonly workers: Pick<Gauge, 'set'>;
  readonly restarts: { add(labels: Readonly<Record<never, string>>): void };
}

/** Adds up counters and histograms; gauges as their `aggregator` says. Process ids are not used again. */
export function createMetricsSum(options: ProcessLabels): MetricsSum {
  const parent = createProcessRegistry(options);
  const { name, help } = WORKER_METRICS.workers;
  const workers = new Gauge({ name, help, registers: [parent] });
  const restarts = createCounter({ ...WORKER_METRICS.restarts, registry: parent });
  const living = new Map<number, MetricReport>();
  let ended: MetricReport = [];
  return {
    put: (id, report) => living.set(id, report),
    end: (id) => {
      const counts = (living.get(id) ?? []).filter(isCount);
      living.delete(id);
      ended = sumOf([ended, counts]);
    },
    text: async () => aggregate([await parent.getMetricsAsJSON(), ...living.values(), ended]).metrics(),
    workers,
    restarts,
    contentType: AggregatorRegistry.PROMETHEUS_CONTENT_TYPE,
  };
}

const aggregate = (reports: readonly MetricReport[]) =>
  AggregatorRegistry.aggregate(reports.map((report) => [...report]));

/** Metrics that never fall. */
const COUNTS: ReadonlySet<string> = new Set<`${MetricType}`>(['counter', 'histogram']);
const isCount = ({ type }: MetricReport[number]): boolean => COUNTS.has(type as unknown as string); // an enum of the types only

/** The registry keeps the aggregated metrics themselves. */
const sumOf = (reports: readonly MetricReport[]): MetricReport =>
  aggregate(reports).getMetricsAsArray() as unknown as MetricReport;
