/** The request log in ClickHouse; feedback is in PostgreSQL. */
import { CLICKHOUSE_ROW, type ClickHouseRow, fromClickHouseRow, type LogRow } from '@gatehouse/crds/logs';
import type { Database, LogTables } from '../../database/index.ts';
import type {
  FeedbackKey,
  KeyedFeedback,
  LabelSum,
  LogFilter,
  LogPlace,
  LogReader,
  Page,
  TimeWidth,
} from '../reader.ts';
import { createPostgresReader } from '../sql/index.ts';
import type { AskClickHouse } from './client.ts';
import { type ClickHouseFilter, isOfRollUps, ofRow, rowConditions, sharedConditions } from './conditions.ts';
import { rowFacts } from './facts.ts';
import { type Judgement, judgementsOf, tracesWithin } from './judgements.ts';
import { type LabelRow, labelQuery, memberOf, type UserRow, userQuery } from './labels.ts';
import type { Question } from './question.ts';
import { costedRows, hasReRated, withPresentCost } from './re-rated.ts';
import { startOf } from './spans.ts';
import { type SumRow, sumQuery, toSum } from './sums.ts';

export interface ClickHouseReaderOptions {
  readonly ask: AskClickHouse;
  /** Where feedback is. */
  readonly feedback: Pick<Database<LogTables>, 'use'>;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const DAY_MS = 86_400_000;
const ALWAYS = { from: 0, to: Number.MAX_SAFE_INTEGER };

export function createClickHouseReader({ ask, feedback }: ClickHouseReaderOptions): LogReader {
  const ofPostgres = createPostgresReader(feedback);
  /** The filter in the words of this database. */
  const toOwn = async ({ feedback: bounds, ...filter }: LogFilter): Promise<ClickHouseFilter> => {
    const reRated = await hasReRated(ask);
    if (bounds === undefined) return { ...filter, reRated };
    return { ...filter, reRated, judged: await tracesWithin(feedback, bounds, filter.visible.workspaces) };
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
      const select = (page: Page | undefined) => ask<SumRow>((q) => sumQuery(q, own, { ...options, page }));
      const sums = await select(options.page);
      return { sums: sums.map((row) => toSum(row, options.by)), total: await totalOf(sums, options.page, select) };
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
      const own = await toOwn(filter);
      const select = (of: Page) => ask<LabelRow>((q) => labelQuery(q, own, label, of));
      const found = await select(page);
      const names = found.map((row) => row.label);
      const judged =
        label === 'end_user'
          ? undefined
          : await feedbackOfLabels({ ask, feedback }, own, { name: label.metadata, labels: names });
      const sums = found.map(({ total: _, ...row }) => ({ ...row, feedback: judged?.get(row.label) ?? NO_FEEDBACK }));
      return { sums, total: await totalOf(found, page, select) };
    },
    feedback: async (filter, key, width) => {
      if (key !== 'model' && !isAboutRows(filter)) return ofPostgres.feedback(filter, key, width);
      return feedbackSums({ ask, feedback }, await toOwn(filter), { key, width });
    },
  };
}

interface FeedbackKeying {
  readonly key: FeedbackKey;
  readonly width: TimeWidth;
}

async function feedbackSums(
  { ask, feedback }: ClickHouseReaderOptions,
  filter: ClickHouseFilter,
  { key, width }: FeedbackKeying,
): Promise<readonly KeyedFeedback[]> {
  const { from, to, visible } = filter;
  const judgements = await judgementsOf(feedback, { from, to, workspaces: visible.workspaces });
  const isAsked = isAboutRows(filter);
  const needsRows = (key === 'model' || isAsked) && judgements.length > 0;
  const models = needsRows ? await modelsOf(ask, filter, judgements) : new Map<string, string>();
  const asked = isAsked ? judgements.filter((one) => models.has(traceKey(one.workspace, one.trace))) : judgements;
  return keyed(asked, (one) => keyOf(one, key, { width, models }));
}

async function feedbackOfLabels(
  { ask, feedback }: ClickHouseReaderOptions,
  filter: ClickHouseFilter,
  { name, labels }: Omit<LabelQuestion, 'judgements'>,
): Promise<ReadonlyMap<string, LabelSum['feedback']>> {
  if (labels.length === 0) return new Map();
  const judgements = await judgementsOf(feedback, { ...ALWAYS, workspaces: filter.visible.workspaces });
  return sumsOfLabels(await labelledTraces(ask, filter, { name, labels, judgements }), judgements);
}

const NO_FEEDBACK = { requests: 0, count: 0, weighted: 0 };

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

interface Counted {
  /** Of all pages. */
  readonly total: number;
}

/** A page behind the last one does not say how many there are. */
async function totalOf(
  rows: readonly Counted[],
  page: Page | undefined,
  again: (page: Page) => Promise<readonly Counted[]>,
): Promise<number> {
  const isBehind = rows.length === 0 && page !== undefined && page.offset > 0;
  const [first] = isBehind ? await again({ limit: 1, offset: 0 }) : rows;
  return first?.total ?? 0;
}

interface LabelledTrace {
  readonly label: string;
  readonly workspace: string;
  readonly trace: string;
  readonly requests: number;
}

interface LabelQuestion {
  readonly name: string;
  readonly labels: readonly string[];
  readonly judgements: readonly Judgement[];
}

const labelledTraces = (
  ask: AskClickHouse,
  filter: ClickHouseFilter,
  { name, labels, judgements }: LabelQuestion,
): Promise<readonly LabelledTrace[]> =>
  ask<LabelledTrace>((q) => {
    const judged = [...(filter.judged ?? judgements.map(({ workspace, trace }) => [workspace, trace] as const))];
    const extra = `${memberOf(q, name)} as named, l.trace_id as trace`;
    return `
      select assumeNotNull(named) as label, workspace, trace, sum(f.requests) as requests
      from (${rowFacts(q, { ...filter, judged }, filter, extra)}) as f
      where named is not null and has(${q.param(labels, 'Array(String)')}, assumeNotNull(named))
      group by label, workspace, trace`;
  });

/** Each feedback counts once for each label that a row of its trace has. */
function sumsOfLabels(
  traces: readonly LabelledTrace[],
  judgements: readonly Judgement[],
): Map<string, { requests: number; count: number; weighted: number }> {
  const byTrace = Map.groupBy(judgements, ({ workspace, trace }) => traceKey(workspace, trace));
  const sums = new Map<string, { requests: number; count: number; weighted: number }>();
  for (const { label, workspace, trace, requests } of traces) {
    const given = byTrace.get(traceKey(workspace, trace)) ?? [];
    if (given.length === 0) continue;
    const sum = sums.get(label) ?? { ...NO_FEEDBACK };
    sums.set(label, sum);
    sum.requests += requests;
    sum.count += given.length;
    for (const { weighted } of given) sum.weighted += weighted;
  }
  return sums;
}

/** Whether feedback is asked for by more than its own time and workspace. */
const isAboutRows = ({ visible, from: _from, to: _to, reRated: _, ...filter }: ClickHouseFilter & LogFilter): boolean =>
  visible.people !== undefined ||
  visible.apiKey !== undefined ||
  !isOfRollUps({ visible, from: 0, to: 0, ...filter }) ||
  Object.values(filter).some((asked) => asked !== undefined);

const traceKey = (workspace: string, trace: string): string => JSON.stringify([workspace, trace]);

/** The model of the newest final row of each trace that the filter asks for. */
async function modelsOf(
  ask: AskClickHouse,
  filter: ClickHouseFilter,
  judgements: readonly Judgement[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await ask<{ readonly workspace: string; readonly trace: string; readonly model: string }>((q) => {
    const asked = { ...filter, ...ALWAYS };
    const traces = judgements.map(({ workspace, trace }) => [workspace, trace] as const);
    return `
      select toString(l.workspace) as workspace, l.trace_id as trace,
        argMax(toString(ifNull(l.model, '')), (l.is_final, l.created_at)) as model
      from ${costedRows(q, asked, asked)}
      where ${rowConditions(q, asked)} and ${sharedConditions(q, asked, ofRow)}
        and (toString(l.workspace), l.trace_id) in ${q.pairs(traces)}
      group by workspace, trace`;
  });
  return new Map(rows.map(({ workspace, trace, model }) => [traceKey(workspace, trace), model]));
}

interface Keying {
  readonly width: TimeWidth;
  readonly models: ReadonlyMap<string, string>;
}

function keyOf(one: Judgement, key: FeedbackKey, { width, models }: Keying): number | string {
  if (key === 'value') return one.value;
  return key === 'time' ? startOf(one.at, width) : (models.get(traceKey(one.workspace, one.trace)) ?? '');
}

function keyed(judgements: readonly Judgement[], of: (one: Judgement) => number | string): readonly KeyedFeedback[] {
  const groups = [...Map.groupBy(judgements, of)].sort(([a], [b]) => (a < b ? -1 : 1));
  return groups.map(([key, given]) => ({
    key,
    count: given.length,
    weighted: given.reduce((sum, { weighted }) => sum + weighted, 0),
  }));
}
