/** Limits and budgets of sidecars, counted by their fleet; docs/behaviour/sidecars.md#limits-and-budgets. */
export { createFleetCounters, type FleetCounters } from './client.ts';
export { type Pod, type PodPorts, podOfToken } from './pod-of-token.ts';
export { CALL_JSON, COUNTERS_PATH, MAX_BYTES } from './protocol.ts';
export { type CountersServer, createCountersServer } from './server.ts';
