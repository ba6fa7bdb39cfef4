/** People: users, invitations and members. docs/behaviour/people.md */
import type { BoundOperation } from '../family.ts';
import { INVITES } from './invites.ts';
import { MEMBERS } from './members.ts';
import { mayLeaveRole, USERS } from './users.ts';

export { type Member, placeOf } from './members-of.ts';
export { mayLeaveRole };

export const PEOPLE: readonly BoundOperation[] = [...USERS, ...INVITES, ...MEMBERS];
