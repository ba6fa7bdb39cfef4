export type { BucketSettings } from './batches.ts';
export { bufferedBytesFor, DEFAULTS, type ProcessMemory } from './defaults.ts';
export { createEnvReader, ENVIRONMENT, readEnvironment, type Variables } from './env.ts';
export { type HeaderRow, REQUEST_HEADERS, RESPONSE_HEADERS } from './headers.ts';
export type { DocumentSettings } from './log-store.ts';
export { type ManagementSettings, managementOf } from './management.ts';
export { type RequestLogSettings, requestLogOfProcess } from './request-log.ts';
export {
  type CorsSettings,
  type GatewaySettings,
  type RealtimeSettings,
  type TlsSettings,
  toSettings,
} from './settings.ts';
export { type EndpointSettings, type SnapshotSourceSettings, snapshotSourceOf } from './snapshot-source.ts';
export type { TracingSettings } from './tracing.ts';
export { UNSERVED_VARIABLES, unservedVariables } from './unserved.ts';
