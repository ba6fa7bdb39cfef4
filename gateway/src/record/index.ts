export {
  type AttemptFacts,
  type CacheStatus,
  type CallerFacts,
  type CheckVerdict,
  type CostFacts,
  type DecisionFacts,
  NO_VERDICTS,
  type PipelineFacts,
  type RequestFacts,
  type RequestRecord,
  type RouteFacts,
  type SentFacts,
  type Settlement,
  type Spent,
  type TraceContext,
} from './record.ts';
export {
  countedAttempt,
  createRecorder,
  type FinishedRequest,
  type Recorder,
  type RecorderOptions,
} from './recorder.ts';
export type { Sink, UsageQuestion } from './sink.ts';
