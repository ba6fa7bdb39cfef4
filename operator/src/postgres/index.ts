/** The password of the chart's PostgreSQL: generated once. */
export { type EmbeddedPostgresOptions, keepPostgresPassword } from './keep-password.ts';
export { POSTGRES_PASSWORD_SECRET } from './secret.ts';
