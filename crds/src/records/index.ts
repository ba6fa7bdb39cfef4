/** What the database has: rows, and the migrations that make their tables. */
export { MIGRATIONS } from './migrations.generated.ts';
export { type AuditChange, type AuditRow, auditRow, type InviteRow, inviteRow, type UserRow, userRow } from './rows.ts';
export { statementsOf } from './statements.ts';
