export { BodyRelay } from './body-relay.ts';
export { failureReason } from './failures.ts';
export type { ConnectOrigin, HostOrigin } from './host-guard/index.ts';
export { bodyOf, piecesOf } from './pieces.ts';
export type {
  BodySink,
  UpgradeAnswer,
  UpgradingClient,
  UpstreamBody,
  UpstreamClient,
  UpstreamClientOptions,
  UpstreamConnection,
  UpstreamHeaders,
  UpstreamLimits,
  UpstreamRequest,
  UpstreamResponse,
} from './port.ts';
export { compileReach, type HostScope, type Reach } from './reach.ts';
export { createUpstreamClient } from './undici/client.ts';
