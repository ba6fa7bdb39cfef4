/** The request log of sidecars, kept by their fleet; docs/behaviour/sidecars.md#request-log. */
export { createFleetLogStore, type FleetLogStoreOptions } from './fleet-log-store.ts';
export { MAX_CALL_BYTES, RECORDS_JSON, RECORDS_PATH } from './protocol.ts';
export { createRecordsServer, type RecordsServer, type RowResult } from './server.ts';
