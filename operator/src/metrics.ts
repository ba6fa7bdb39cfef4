/** Every metric of the operator, for the reference. */
import { FRONT_DESK_METRICS } from './process/metrics.ts';
import { PROGRAM_METRICS } from './program/metrics.ts';
import { RUNTIME_METRICS } from './runtime/index.ts';

export interface MetricRow {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}

type Row = Omit<MetricRow, 'labelNames'> & Partial<MetricRow>;

export const OPERATOR_METRICS: readonly MetricRow[] = [RUNTIME_METRICS, PROGRAM_METRICS, FRONT_DESK_METRICS].flatMap(
  (table) => Object.values<Row>(table).map((row) => ({ labelNames: [], ...row })),
);
