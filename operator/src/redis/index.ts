/** The password of the chart's Redis: generated once, and written for the fleets that use it. */
export { type EmbeddedRedisOptions, keepRedisPassword } from './keep-password.ts';
export { FILLED_LABEL, REDIS_PASSWORD_SECRET } from './secrets.ts';
