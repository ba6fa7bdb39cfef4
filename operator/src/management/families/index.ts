export { type BoundOperation, HttpAnswer, type RestCall, type ScimAnswer, type Services } from './family.ts';
export { OPERATIONS } from './register.ts';
export { startMemberRounds, syncMembers } from './scim/index.ts';
