/** One scrape over several processes. */
import { AggregatorRegistry, type MetricObjectWithValues, type MetricType, type MetricValue } from 'prom-client';

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
}

/** Adds up counters and histograms; gauges as their `aggregator` says. Process ids are not used again. */
export function createMetricsSum(): MetricsSum {
  const living = new Map<number, MetricReport>();
  let ended: MetricReport = [];
  return {
    put: (id, report) => living.set(id, report),
    end: (id) => {
      const counts = (living.get(id) ?? []).filter(isCount);
      living.delete(id);
      ended = sumOf([ended, counts]);
    },
    text: () => aggregate([...living.values(), ended]).metrics(),
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
