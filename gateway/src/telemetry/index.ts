export { createLogSink, type LogSinkOptions } from './log-sink.ts';
export { createLogger, createStandardOutput, describeError, type Logger, type LoggerOptions } from './logger.ts';
export { isMasked, maskHeaders, maskValue } from './mask.ts';
export { createMetrics, GAUGES, METRICS, type Metrics } from './metrics.ts';
export { createMetricsSink } from './metrics-sink.ts';
export { createMetricsSum, type MetricReport, type MetricsSum, WORKER_METRICS } from './metrics-sum.ts';
export { OPEN_METRICS_TYPE, wantsOpenMetrics } from './open-metrics.ts';
export { PROCESS_PREFIX } from './process-registry.ts';
export { withoutSecrets } from './redact.ts';
