/** Who calls, and what the caller may do. */
export { authenticate, hasKey } from './authenticate.ts';
export { authorize } from './authorize.ts';
export type { Caller, KeyDirectory } from './caller.ts';
export { callerOfKey, hashesOf } from './of-key.ts';
