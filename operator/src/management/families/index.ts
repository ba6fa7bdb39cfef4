export type { BoundOperation, RestCall, Services } from './family.ts';
export { OPERATIONS } from './register.ts';
