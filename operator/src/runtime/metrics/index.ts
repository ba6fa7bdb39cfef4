export { createRuntimeMetrics, RUNTIME_METRICS, type RuntimeMetrics } from './metrics.ts';
