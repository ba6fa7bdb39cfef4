export type { BoundOperation, RestCall, Services } from './family.ts';
export { OPERATIONS } from './register.ts';
export { startMemberRounds, syncMembers } from './scim/index.ts';
