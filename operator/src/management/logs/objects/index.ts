export type { BucketCredentials, IdentityPlace, LogBucketPorts } from './bucket-objects.ts';
export { type LogObjectSettings, openLogObjects } from './log-objects.ts';
