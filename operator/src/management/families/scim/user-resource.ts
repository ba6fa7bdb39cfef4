/** Accounts as a directory reads them (RFC 7643, section 4.1). */
import type { UserRow } from '@gatehouse/crds/records';
import { locationOf } from './answers.ts';
import type { UserDraft } from './user-draft.ts';

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';

export interface GroupReference {
  readonly value: string;
  readonly display: string;
}

export function toUser(row: UserRow, groups: readonly GroupReference[]): object {
  const formatted = [row.first_name, row.last_name].filter((part) => part !== '').join(' ');
  const userName = row.user_name ?? row.email;
  return {
    schemas: [USER_SCHEMA],
    id: row.id,
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
    userName,
    name: { givenName: row.first_name, familyName: row.last_name, formatted },
    displayName: row.display_name ?? (formatted === '' ? userName : formatted),
    active: row.active,
    emails: [{ value: row.email, type: 'work', primary: true }],
    roles: [{ value: row.role, primary: true }],
    groups: groups.map(({ value, display }) => ({ value, display, type: 'direct' })),
    meta: {
      resourceType: 'User',
      created: row.created_at.toISOString(),
      lastModified: row.updated_at.toISOString(),
      location: locationOf('Users', row.id),
    },
  };
}

export const toDraft = (row: UserRow): UserDraft => ({
  userName: row.user_name ?? row.email,
  externalId: row.external_id ?? undefined,
  displayName: row.display_name ?? undefined,
  givenName: row.first_name === '' ? undefined : row.first_name,
  familyName: row.last_name === '' ? undefined : row.last_name,
  active: row.active,
  email: row.email,
  role: row.role,
});
