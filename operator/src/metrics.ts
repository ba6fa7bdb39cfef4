/** Every metric of the operator, for the generated reference. */
import { MANAGEMENT_METRICS } from './app/management/metrics.ts';
import { APP_METRICS } from './app/metrics.ts';
import { RUNTIME_METRICS } from './runtime/index.ts';

export { PROCESS_PREFIX } from './app/process-metrics.ts';

export interface MetricRow {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}

type Row = Omit<MetricRow, 'labelNames'> & Partial<MetricRow>;

export const OPERATOR_METRICS: readonly MetricRow[] = [RUNTIME_METRICS, APP_METRICS, MANAGEMENT_METRICS].flatMap(
  (table) => Object.values<Row>(table).map((row) => ({ labelNames: [], ...row })),
);
