/** Groups as a directory reads them (RFC 7643, section 4.2). */
import type { GroupRow } from '@gatehouse/crds/records';
import { locationOf } from './answers.ts';
import type { MemberReference } from './group-rows.ts';

export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';

/** Without members where nobody asks for them. */
export function toGroup(row: GroupRow, members: readonly MemberReference[] | undefined): object {
  return {
    schemas: [GROUP_SCHEMA],
    id: row.id,
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
    displayName: row.display_name,
    ...(members === undefined
      ? {}
      : { members: members.map(({ value, display }) => ({ value, display, type: 'User' })) }),
    meta: {
      resourceType: 'Group',
      created: row.created_at.toISOString(),
      lastModified: row.updated_at.toISOString(),
      location: locationOf('Groups', row.id),
    },
  };
}
