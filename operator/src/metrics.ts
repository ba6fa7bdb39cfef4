/** Every metric of the operator, for the reference. */
import { RUNTIME_METRICS } from './runtime/index.ts';

export interface MetricRow {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}

export const OPERATOR_METRICS: readonly MetricRow[] = Object.values(RUNTIME_METRICS);
