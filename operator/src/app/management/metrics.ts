/** Metrics of the management API besides those of the runtime. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { CallReport } from '../../management/index.ts';

export const MANAGEMENT_METRICS = {
  calls: {
    name: 'gatehouse_management_calls_total',
    help: 'Calls of the management API, by operation and status',
    labelNames: ['operation', 'status'],
  },
  duration: {
    name: 'gatehouse_management_call_duration_seconds',
    help: 'Time until a call of the management API was answered',
    labelNames: ['operation'],
  },
  keys: {
    name: 'gatehouse_management_keys',
    help: 'Keys that the management API knows',
  },
  auditDropped: {
    name: 'gatehouse_management_audit_dropped_total',
    help: 'Audit records that the database never got; the log has them',
  },
  keysAge: {
    name: 'gatehouse_management_keys_age_seconds',
    help: 'Time since the operator has confirmed the keys; half a minute at most while it is reached',
  },
} as const;

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export interface ManagementGauges {
  keys(): number;
  keysAgeSeconds(): number;
  auditDropped(): number;
}

/** Registers them; the result counts one call. */
export function createManagementMetrics(registry: Registry, gauges: ManagementGauges): (report: CallReport) => void {
  const registers = [registry];
  const calls = new Counter({ ...MANAGEMENT_METRICS.calls, registers });
  const duration = new Histogram({ ...MANAGEMENT_METRICS.duration, registers, buckets: SECONDS });
  const gauge = (row: { readonly name: string; readonly help: string }, read: () => number): void => {
    const made: Gauge = new Gauge({ ...row, registers, collect: () => made.set(read()) });
  };
  const dropped: Counter = new Counter({
    ...MANAGEMENT_METRICS.auditDropped,
    registers,
    collect: () => {
      dropped.reset();
      dropped.inc(gauges.auditDropped());
    },
  });
  gauge(MANAGEMENT_METRICS.keys, gauges.keys);
  gauge(MANAGEMENT_METRICS.keysAge, gauges.keysAgeSeconds);
  return ({ operation, status, seconds }) => {
    calls.inc({ operation: operation.id, status: String(status) });
    duration.observe({ operation: operation.id }, seconds);
  };
}
