/** The password of the Redis that the chart installs: made once, and handed to the fleets that use it. */
export { type EmbeddedRedisOptions, keepRedisPassword } from './keep-password.ts';
export { FILLED_LABEL, REDIS_PASSWORD_SECRET } from './secrets.ts';
