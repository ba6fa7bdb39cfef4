/** What the database has: rows, and the migrations that make their tables. */
export { MIGRATIONS } from './migrations.generated.ts';
export {
  type AuditChange,
  type AuditRow,
  auditRow,
  type GroupMemberRow,
  type GroupRow,
  groupMemberRow,
  groupRow,
  type InviteRow,
  inviteRow,
  type RevisionRow,
  revisionRow,
  type ScimTokenRow,
  type SessionRow,
  scimTokenRow,
  sessionRow,
  type UserRow,
  userRow,
} from './rows.ts';
