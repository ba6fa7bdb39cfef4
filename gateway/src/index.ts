/** The data plane's door: everything a process needs to serve requests from a Snapshot. */
export {
  createAdmin,
  createGateway,
  type Gateway,
  type GatewayOptions,
  type WorkerPorts,
} from './app/gateway.ts';
export type { LimitsStatus } from './app/limits-status.ts';
export { type Issuer, type IssuerProbe, probeIssuers } from './app/probe-issuers.ts';
export { type LogDatabase, type ReRateRequest, reRateRows } from './app/re-rate.ts';
export {
  isOnlyRow,
  type LoggedTrace,
  type RecordedRequest,
  type Replayed,
  type ReplayedDecision,
  type ReplayedTarget,
  readLoggedTrace,
  replayRequest,
} from './app/replay/index.ts';
export { createMemoryState, type SharedState } from './app/shared-state.ts';
export { VERSION } from './app/version.ts';
export {
  type BudgetStore,
  type BudgetTotal,
  type BudgetUsage,
  createMemoryBudgetStore,
  type SyncReply,
  type SyncRequest,
} from './budgets/index.ts';
export type { CacheStore } from './cache/index.ts';
export {
  ENVIRONMENT,
  type GatewaySettings,
  type HeaderRow,
  REQUEST_HEADERS,
  RESPONSE_HEADERS,
  type RequestLogSettings,
  readEnvironment,
  requestLogOfProcess,
  toSettings,
  UNSERVED_VARIABLES,
  type Variables,
} from './config/index.ts';
export { createOfflineHooks, type HookResult, type OfflineText, type OfflineVerdict } from './guardrails/index.ts';
export {
  type Concurrency,
  createConcurrency,
  createMemoryLimiter,
  type Demand,
  type Denial,
  type Leave,
  type LimitDecision,
  type Limiter,
  type Reservation,
  type WindowState,
} from './limits/index.ts';
export type { ManagementAddress } from './listener/index.ts';
export { DATA_PLANES } from './providers/register.ts';
export type { RequestRecord, Sink } from './record/index.ts';
export {
  createPostgresStore as createPostgresLogStore,
  type LogFeedback,
  type LogStore,
  type ReRatedBatch,
  type ReRatedRow,
  type SealedBatch,
  toWaiting,
  type WaitingRecord,
} from './request-log/index.ts';
export { NO_SNAPSHOT, type SnapshotHolder, type SnapshotStatus } from './snapshot/index.ts';
export {
  type CircuitRecord,
  type CircuitStore,
  createStoreBreaker,
  probeRedis,
  type StateStore,
  StoreUnavailable,
} from './store/index.ts';
export {
  createLogger,
  createMetrics,
  createMetricsSum,
  createStandardOutput,
  GAUGES,
  type Logger,
  METRICS,
  type MetricReport,
  type MetricsSum,
  PROCESS_PREFIX,
  WORKER_METRICS,
} from './telemetry/index.ts';
export type { UsageSource } from './usage-report/index.ts';
