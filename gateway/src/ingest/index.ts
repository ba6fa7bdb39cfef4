export { createIngest, type IngestOptions, withoutIngest } from './ingest.ts';
