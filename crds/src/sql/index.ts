/** What every program with a database shares. */
export { type MigrateOptions, type Migration, migrate } from './migrate.ts';
export { poolSettings } from './pool-settings.ts';
export { type PostgresAddress, type PostgresOptions, parsePostgresUrl } from './postgres-url.ts';
export { statementsOf } from './statements.ts';
