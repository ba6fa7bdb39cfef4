export type { BoundOperation, RestCall, ScimAnswer, Services } from './family.ts';
export { OPERATIONS } from './register.ts';
export { startMemberRounds, syncMembers } from './scim/index.ts';
