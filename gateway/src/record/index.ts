export type { AskedParams } from './asked.ts';
export {
  type BodiesKept,
  Capture,
  CapturedAttempt,
  isGood,
  type KeptAnswer,
  type KeptBody,
  type KeptRequest,
} from './capture.ts';
export {
  type Cleaner,
  cleanRecord,
  createCleaner,
  createTextCleaner,
  isTextCredential,
  knownScrubber,
  loggedTraceId,
} from './clean/index.ts';
export { boundClient, type ClientFacts, type WholeClient, wholeClient } from './client.ts';
export { createHeaderMasks, type HeaderNames } from './header-masks.ts';
export {
  type AttemptFacts,
  type AttemptParts,
  type CacheStatus,
  type CallerFacts,
  type CheckVerdict,
  type CostFacts,
  type DecisionFacts,
  type GuardrailCheckFacts,
  type GuardrailFacts,
  type GuardrailVerdicts,
  type ImagesAsked,
  isCacheHit,
  type LimitVerdicts,
  type ModelShare,
  NO_GUARDRAILS,
  NO_VERDICTS,
  type OnceRow,
  type PartTimes,
  type PipelineFacts,
  type RequestFacts,
  type RequestRecord,
  type RouteFacts,
  type SentFacts,
  type Settlement,
  type SpanIdentity,
  type Spent,
  type TraceContext,
} from './record.ts';
export {
  countedAttempt,
  createRecorder,
  type FinishedRequest,
  type Recorder,
  type RecorderOptions,
  settleAnswer,
  withUsage,
} from './recorder.ts';
export type { Sink, UsageQuestion, WatchedGuardrails } from './sink.ts';
export { type StepFacts, StepLog } from './steps.ts';
export { addCounted, type CountedAnswer, countAnswer, countWhole, NOTHING_COUNTED } from './usage.ts';
