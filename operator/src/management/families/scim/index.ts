/** What a directory provisions, and what follows from it. docs/behaviour/people.md#scim */
import type { BoundOperation } from '../family.ts';
import { SCIM_GROUPS } from './groups.ts';
import { SCIM_MAPPINGS } from './mappings.ts';

export { type MemberRounds, startMemberRounds } from './settle.ts';
export { syncMembers } from './sync.ts';

export const SCIM: readonly BoundOperation[] = [...SCIM_MAPPINGS, ...SCIM_GROUPS];
