export { startNginx, type Upstream } from './nginx.ts';
export { startHostile } from './start-hostile.ts';
export { EVENT_INTERVAL_MS, startSse } from './start-sse.ts';
export { startTransfer } from './start-transfer.ts';
