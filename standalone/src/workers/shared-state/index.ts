/** The state that all workers share, in the memory of their parent. */
export { createStateClient, type StateClient, type StateClientOptions } from './client.ts';
export type { Call, CallResult } from './operations.ts';
export { createStateServer, type StateConnection, type StateServer } from './server.ts';
