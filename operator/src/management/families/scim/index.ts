/** What a directory provisions, and what follows from it. docs/behaviour/people.md#scim */
import type { BoundOperation } from '../family.ts';
import { SCIM_DISCOVERY } from './discovery.ts';
import { SCIM_GROUP_RESOURCES } from './group-resources.ts';
import { SCIM_GROUPS } from './groups.ts';
import { SCIM_MAPPINGS } from './mappings.ts';
import { SCIM_TOKEN } from './token.ts';
import { SCIM_USERS } from './users.ts';

export { type MemberRounds, startMemberRounds } from './settle.ts';
export { syncMembers } from './sync.ts';

export const SCIM: readonly BoundOperation[] = [
  ...SCIM_MAPPINGS,
  ...SCIM_GROUPS,
  ...SCIM_TOKEN,
  ...SCIM_USERS,
  ...SCIM_GROUP_RESOURCES,
  ...SCIM_DISCOVERY,
];
