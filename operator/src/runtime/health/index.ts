export { cacheCheck } from './cache-check.ts';
export { type Check, createHealth, type Health, type HealthReport } from './health.ts';
