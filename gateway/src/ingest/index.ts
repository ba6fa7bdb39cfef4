export { createIngest, createIngestAtFleet, type IngestOptions, withoutIngest } from './ingest.ts';
