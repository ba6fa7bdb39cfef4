export { createLogDatabase } from './log-database.ts';
export { createPostgresReader } from './postgres-reader.ts';
