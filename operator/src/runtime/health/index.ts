export { type Check, cacheCheck, createHealth, type Health, type HealthReport } from './health.ts';
