/** The data plane's door: everything a process needs to serve requests from a Snapshot. */
export { createGateway, type Gateway, type GatewayOptions, VERSION } from './app/gateway.ts';
export {
  ENVIRONMENT,
  type GatewaySettings,
  type HeaderRow,
  REQUEST_HEADERS,
  RESPONSE_HEADERS,
  readEnvironment,
  toSettings,
  type Variables,
} from './config/index.ts';
export { DATA_PLANES } from './providers/register.ts';
export type { RequestRecord, Sink } from './record/index.ts';
export type { SnapshotHolder, SnapshotStatus } from './snapshot/index.ts';
export { createLogger, GAUGES, type Logger, METRICS } from './telemetry/index.ts';
