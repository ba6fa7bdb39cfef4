export { type BodySink, UpstreamBody } from './body.ts';
export {
  createUpstreamClient,
  type UpstreamClient,
  type UpstreamHeaders,
  type UpstreamLimits,
  type UpstreamRequest,
  type UpstreamResponse,
} from './client.ts';
export { createDispatchers, type DispatcherOptions } from './dispatchers.ts';
export type { ConnectOrigin, HostOrigin } from './host-guard/index.ts';
export { compileReach, type HostScope, type Reach } from './reach.ts';
