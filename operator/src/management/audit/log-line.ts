/** Records as lines of the log: where no database keeps them, and those that it never got. */
import type { AuditChange, AuditRow } from '@gatehouse/crds/records';

/** Of the contents in one line, as JSON: beyond it the line says what was changed, and not how. */
const MAX_CONTENTS = 64 * 1024;

/** The members of the line. */
export function toLogLine({ at, changes, ...row }: Omit<AuditRow, 'id'> & { readonly id?: string }): object {
  const isShort = JSON.stringify(changes).length <= MAX_CONTENTS;
  return {
    audit: {
      ...row,
      at: at.toISOString(),
      changes: isShort ? changes : changes.slice(0, MAX_NAMED).map(withoutContent),
    },
  };
}

/** Changes that are named without their contents. */
const MAX_NAMED = 200;

const withoutContent = ({ kind, object, action }: AuditChange): object => ({ kind, object, action, omitted: true });

/** Why the database never got something, for the log. `refused`: the error with which it was refused; its texts may be long. */
export function whyNotKept(refused: unknown): string {
  if (refused === undefined) return 'the database was away for too long';
  const code = refused instanceof Error && 'code' in refused ? ` (${String(refused.code)})` : '';
  return `the database has refused it${code}`;
}
