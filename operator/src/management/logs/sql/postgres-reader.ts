/** The request log in PostgreSQL. Every value of a question is a parameter. */
import { LOG_COLUMNS, type LogRow } from '@gatehouse/crds/logs';
import type { RawBuilder, Sql } from 'kysely';
import type { Database, LogTables } from '../../database/index.ts';
import { readPage } from '../pages.ts';
import { type LogFilter, type LogPlace, LogQuestionTooLarge, type LogReader } from '../reader.ts';
import { type Fragment, ofRow, rowConditions, sharedConditions } from './conditions.ts';
import { instant } from './facts.ts';
import { feedbackQuery } from './feedback.ts';
import { labelQuery, toLabelSum, toUserCount, userQuery } from './labels.ts';
import { sumQuery, toSum } from './sums.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const DAY_MS = 86_400_000;
/** SQLSTATE: the statement took longer than it may. */
const CANCELLED = '57014';

export function createPostgresReader(database: Pick<Database<LogTables>, 'use'>): LogReader {
  /** Rows of a statement. */
  const ask = <R>(statement: (sql: Sql) => RawBuilder<R>): Promise<readonly R[]> =>
    database.use(async (queries) => {
      const { sql } = await import('kysely');
      try {
        return (await statement(sql).execute(queries)).rows;
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === CANCELLED)) throw error;
        throw new LogQuestionTooLarge('The question took too long: ask for a shorter time', { cause: error });
      }
    });
  const rows = async (select: (sql: Sql) => Fragment): Promise<readonly LogRow[]> =>
    (await ask((sql) => sql<DatabaseRow>`${select(sql)}`)).map(toLogRow);
  return {
    list: (filter, { limit, offset }, before) =>
      rows(
        (sql) =>
          sql`${rowsWhere(sql, filter, behind(sql, before))} order by l.created_at desc, l.id desc limit ${limit} offset ${offset}`,
      ),
    find: async (id, visible, around) => {
      const near = around === undefined ? ALWAYS : { from: around - DAY_MS, to: around + DAY_MS };
      const found = (which: (sql: Sql) => Fragment) =>
        rows(
          (sql) =>
            sql`${rowsWhere(sql, { visible, ...near }, which(sql))} order by (l.source <> 'log') desc, l.is_final desc, l.created_at desc, l.id desc limit 1`,
        );
      const [one] = UUID.test(id) ? await found((sql) => sql`l.id = ${id}::uuid`) : [];
      return one ?? (await found((sql) => sql`l.trace_id = ${id}`))[0];
    },
    content: async ({ id, created_at }) => {
      const [document] = await ask(
        (sql) => sql<{ readonly content: string }>`select content from gateway_logs.documents
          where id = ${id}::uuid and created_at = ${instant(created_at)}::timestamptz`,
      );
      return document?.content;
    },
    sum: async (filter, options) => {
      const { rows: sums, total } = readPage(await ask((sql) => sumQuery(sql, filter, options)), options.page);
      return { sums: sums.map((row) => toSum(row, options.by)), total };
    },
    users: async (filter, width) => {
      const counts = await ask((sql) => userQuery(sql, filter, width));
      const { users, requests } = toUserCount(counts.find(({ isAll }) => isAll) ?? NO_USERS);
      return { spans: counts.filter(({ isAll }) => !isAll).map(toUserCount), all: { users, requests } };
    },
    labels: async (filter, label, page) => {
      const { rows: sums, total } = readPage(await ask((sql) => labelQuery(sql, filter, label, page)), page);
      return { sums: sums.map(toLabelSum), total };
    },
    feedback: async (filter, key, width) =>
      (await ask((sql) => feedbackQuery(sql, filter, key, width))).map((row) => ({
        key: key === 'model' ? String(row.key) : Number(row.key),
        count: Number(row.count),
        weighted: Number(row.weighted),
      })),
  };
}

const behind = (sql: Sql, before: LogPlace | undefined): Fragment | undefined =>
  before && sql`(l.created_at, l.id) < (${instant(before.created_at)}::timestamptz, ${before.id}::uuid)`;

const ALWAYS = { from: 0, to: Number.MAX_SAFE_INTEGER };
const NO_USERS = { time: 0, users: 0, requests: 0, isAll: true };

const rowsWhere = (sql: Sql, filter: LogFilter, which: Fragment = sql`true`): Fragment => sql`
  select l.* from gateway_logs.logs l
  where l.created_at >= ${instant(filter.from)}::timestamptz and l.created_at < ${instant(filter.to)}::timestamptz
    and ${which} and ${rowConditions(sql, filter)} and ${sharedConditions(sql, filter, ofRow)}`;

/** Times are dates, and large numbers are texts. */
type DatabaseRow = Readonly<Record<keyof LogRow, unknown>>;

function toLogRow(row: DatabaseRow): LogRow {
  const values = Object.entries(LOG_COLUMNS).map(([name, kind]) => {
    const value = row[name as keyof LogRow];
    if (value === null) return [name, null];
    if (kind === 'time') return [name, new Date(value as string | Date).getTime()];
    return [name, kind === 'whole' || kind === 'small' || kind === 'real' ? Number(value) : value];
  });
  return Object.fromEntries(values) as LogRow; // as LOG_COLUMNS says
}
