/** The tables as queries see them: columns of type jsonb are written as text. */
import type {
  AuditRow,
  GroupMemberRow,
  GroupRow,
  InviteRow,
  RevisionRow,
  ScimTokenRow,
  SessionRow,
  UserRow,
} from '@gatehouse/crds/records';
import type { ColumnType } from 'kysely';

type Json<T> = ColumnType<T, string, string>;
type WithJson<Row, Columns extends keyof Row> = Omit<Row, Columns> & { [C in Columns]: Json<Row[C]> };

export interface Tables {
  readonly users: UserRow;
  readonly invites: WithJson<Omit<InviteRow, 'key_scopes'>, 'workspaces'> & {
    readonly key_scopes: ColumnType<InviteRow['key_scopes'], string | null, never>;
  };
  readonly scim_groups: GroupRow;
  readonly scim_group_members: GroupMemberRow;
  readonly scim_tokens: ScimTokenRow;
  readonly revisions: WithJson<RevisionRow, 'content'>;
  readonly sessions: SessionRow;
  readonly audit_records: WithJson<AuditRow, 'changes'>;
}
