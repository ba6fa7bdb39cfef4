/** The request log in ClickHouse; feedback of people is in PostgreSQL. */
import { CLICKHOUSE_ROW, type ClickHouseRow, fromClickHouseRow, type LogRow } from '@gatehouse/crds/logs';
import type { Database, LogTables } from '../../database/index.ts';
import { readPage } from '../pages.ts';
import type { KeyedFeedback, LogFilter, LogPlace, LogReader, Page, TimeWidth } from '../reader.ts';
import { createPostgresReader } from '../sql/index.ts';
import { changeFeedback } from './change-feedback.ts';
import type { ClickHouseConnection } from './client.ts';
import { type ClickHouseFilter, ofRow, rowConditions, sharedConditions } from './conditions.ts';
import { addKeys, feedbackQuery, guardrailQuery, isAboutRows } from './feedback.ts';
import { isEmpty, type Judgements, judgementsByTrace, judgementsOf } from './judgements.ts';
import { type LabelRow, labelQuery, toLabelSum, type UserRow, userQuery } from './labels.ts';
import type { Question } from './question.ts';
import { costedRows, hasReRated, withPresentCost } from './re-rated.ts';
import { type SumRow, sumQuery, toSum } from './sums.ts';

export interface ClickHouseReaderOptions extends Pick<ClickHouseConnection, 'ask' | 'change'> {
  /** Where feedback of people is. */
  readonly feedback: Pick<Database<LogTables>, 'use'>;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const DAY_MS = 86_400_000;
const NONE: Judgements = { people: [], guardrails: undefined };
const ALWAYS = { from: 0, to: Number.MAX_SAFE_INTEGER };

export function createClickHouseReader({ ask, change, feedback }: ClickHouseReaderOptions): LogReader {
  const ofPostgres = createPostgresReader(feedback);
  /** The filter in the words of this database. */
  const toOwn = async ({ feedback: bounds, ...filter }: LogFilter): Promise<ClickHouseFilter> => {
    const reRated = await hasReRated(ask);
    if (bounds === undefined) return { ...filter, reRated };
    const given = await judgementsByTrace({ ask, feedback }, filter.visible.workspaces);
    return { ...filter, reRated, judged: { bounds, feedback: given } };
  };
  const rows = async (write: (q: Question) => string): Promise<readonly LogRow[]> =>
    withPresentCost(ask, (await ask<ClickHouseRow>(write)).map(fromClickHouseRow));

  return {
    list: async (filter, page, before) => {
      const own = await toOwn(filter);
      // Rows are wide: those of a page are found by their place before they are read.
      const places = await ask<Place>((q) => placesQuery(q, own, { ...page, before }));
      if (places.length === 0) return [];
      return rows((q) => rowsAt(q, places));
    },
    find: async (id, visible, around) => {
      const near = around === undefined ? ALWAYS : { from: around - DAY_MS, to: around + DAY_MS };
      const found = (which: (q: Question) => string) =>
        rows(
          (q) =>
            `${rowsWhere(q, { visible, ...near }, which(q))} order by (l.source != 'log') desc, l.is_final desc, l.created_at desc, l.id desc limit 1`,
        );
      const [one] = UUID.test(id) ? await found((q) => `l.id = toUUID(${q.param(id, 'String')})`) : [];
      return one ?? (await found((q) => `l.trace_id = ${q.param(id, 'String')}`))[0];
    },
    content: async ({ id, created_at }) => {
      const [document] = await ask<{ readonly content: string }>(
        (q) =>
          `select content from gateway_logs.documents where id = toUUID(${q.param(id, 'String')}) and created_at = ${q.time(created_at)} limit 1`,
      );
      return document?.content;
    },
    sum: async (filter, options) => {
      const own = await toOwn(filter);
      const found = await ask<SumRow>((q) => sumQuery(q, own, options));
      const { rows: sums, total } = readPage(found, options.page);
      return { sums: sums.map((row) => toSum(row, options.by)), total };
    },
    users: async (filter, width) => {
      const own = await toOwn(filter);
      const hours = width !== 'minute';
      const count = (of: TimeWidth | undefined) => ask<UserRow>((q) => userQuery(q, own, { width: of, hours }));
      const [spans, all] = await Promise.all([count(width), count(undefined)]);
      const { users, requests } = all[0] ?? { users: 0, requests: 0 };
      return { spans, all: { users, requests } };
    },
    labels: async (filter, label, page) => {
      const given = label === 'end_user' ? NONE : judgementsByTrace({ ask, feedback }, filter.visible.workspaces);
      const [own, judgements] = await Promise.all([toOwn(filter), given]);
      const found = await ask<LabelRow>((q) => labelQuery(q, own, { label, judgements }, page));
      const { rows: sums, total } = readPage(found, page);
      return { sums: sums.map(toLabelSum), total };
    },
    feedback: async (filter, key, width) => {
      const { from, to, visible } = filter;
      const [time, keying] = [
        { from, to, workspaces: visible.workspaces },
        { key, width },
      ];
      const isOfRows = isAboutRows(filter);
      if (key !== 'model' && !isOfRows) {
        const ofGuardrails = ask<KeyedFeedback>((q) => guardrailQuery(q, { ...time, keying }));
        return addKeys(...(await Promise.all([ofPostgres.feedback(filter, key, width), ofGuardrails])));
      }
      const [own, judgements] = await Promise.all([toOwn(filter), judgementsOf({ ask, feedback }, time, keying)]);
      if (isEmpty(judgements)) return [];
      return ask<KeyedFeedback>((q) => feedbackQuery(q, own, { key, judgements, isOfRows }));
    },
    changeFeedback: (id, workspaces, to) => changeFeedback({ ask, change }, { id, workspaces, to }),
  };
}

const behind = (q: Question, { created_at, id }: LogPlace): string =>
  `l.created_at <= ${q.time(created_at)} and (l.created_at, l.id) < (${q.time(created_at)}, toUUID(${q.param(id, 'String')}))`;

interface Place {
  readonly at: number;
  readonly id: string;
}

const placesQuery = (
  q: Question,
  filter: ClickHouseFilter,
  { limit, offset, before }: Page & { readonly before: LogPlace | undefined },
): string => `
  select toUnixTimestamp64Milli(l.created_at) as at, toString(l.id) as id
  ${fromWhere(q, filter, before && behind(q, before))}
  order by l.created_at desc, l.id desc limit ${q.param(limit, 'UInt32')} offset ${q.param(offset, 'UInt32')}`;

/** Times find the part of the table, ids the rows in it. */
function rowsAt(q: Question, places: readonly Place[]): string {
  const times = places.map(({ at }) => at);
  return `
    select ${CLICKHOUSE_ROW} from gateway_logs.logs as l
    where l.created_at >= ${q.time(Math.min(...times))} and l.created_at <= ${q.time(Math.max(...times))}
      and has(${q.texts(places.map(({ id }) => id))}, toString(l.id))
    order by l.created_at desc, l.id desc`;
}

const fromWhere = (q: Question, filter: ClickHouseFilter, which = 'true'): string => `
  from ${filter.costNano === undefined ? 'gateway_logs.logs as l' : costedRows(q, filter, filter)}
  where l.created_at >= ${q.time(filter.from)} and l.created_at < ${q.time(filter.to)}
    and ${which} and ${rowConditions(q, filter)} and ${sharedConditions(q, filter, ofRow)}`;

const rowsWhere = (q: Question, filter: ClickHouseFilter, which?: string): string =>
  `select ${CLICKHOUSE_ROW} ${fromWhere(q, filter, which)}`;
