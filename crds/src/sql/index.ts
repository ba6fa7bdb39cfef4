/** What every program with a database shares. */
export { type PostgresAddress, type PostgresOptions, parsePostgresUrl } from './postgres-url.ts';
export { statementsOf } from './statements.ts';
