import type { Metrics } from '../telemetry/index.ts';

/** What the request log tells of itself. */
export type LogMetrics = Pick<
  Metrics,
  | ('requestLogWritten' | 'requestLogDropped' | 'observeRequestLog' | 'observeLogStore')
  | ('guardrailFeedbackWritten' | 'guardrailFeedbackDropped')
  | ('requestLogDocumentsWritten' | 'requestLogDocumentsDropped')
>;
