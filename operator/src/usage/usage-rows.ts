/** From counters to what a status shows of them. Same input, same rows. */
import type { Explanation } from '@gatehouse/crds/conditions';
import { MAX_NAMED_COUNTERS, type UsageRow } from '@gatehouse/crds/kinds';
import { type BudgetRow, byNearestEnd, formatAmount, usedPercent } from '@gatehouse/crds/usage';
import { type Counters, isOver } from './counters.ts';

/** Longest name of a group or workspace in a status. */
const MAX_NAME = 253;

export interface RowsInput {
  readonly counters: Counters;
  /** What the status says now. */
  readonly before: readonly UsageRow[];
  /** The budgets of the spec. */
  readonly names: ReadonlySet<string>;
  /** Groups or workspaces are counted apart. */
  readonly apart: boolean;
  /** Not all pods have reported yet: nothing becomes less within a period. */
  readonly settling: boolean;
  readonly nowMs: number;
}

/**
 * One row per budget that has been used in its current period, by name. A row that no pod reports stays until its period
 * ends: a pod that has just started knows only the budgets that it has used.
 */
export function toUsageRows({ counters, before, names, nowMs, ...ground }: RowsInput): readonly UsageRow[] {
  const byName = Map.groupBy(
    [...counters.values()].filter((row) => !isOver(row, nowMs)),
    ({ name }) => name,
  );
  return [...names].sort().flatMap((name) => {
    const last = before.find((row) => row.name === name && !isRowOver(row, nowMs));
    const found = byName.get(name);
    if (found === undefined) return last ?? [];
    return toUsageRow(found, { ...ground, last, nowMs });
  });
}

export const isRowOver = ({ nextResetTime }: UsageRow, nowMs: number): boolean =>
  nextResetTime !== undefined && Date.parse(nextResetTime) <= nowMs;

interface Ground extends Pick<RowsInput, 'apart' | 'settling' | 'nowMs'> {
  readonly last: UsageRow | undefined;
}

function toUsageRow(found: readonly BudgetRow[], { last, apart, settling, nowMs }: Ground): UsageRow {
  const startMs = Math.max(...found.map(({ periodStartMs }) => periodStartMs));
  const rows = found.filter(({ periodStartMs }) => periodStartMs === startMs).sort(byNearestEnd);
  const top = rows[0] as BudgetRow; // of the largest start there is at least one
  const ended = rows.filter(({ used, limit }) => used >= limit);
  const isAlerted = rows.some(({ used, alertAt = Number.POSITIVE_INFINITY }) => used >= alertAt);
  const periodStartTime = startMs === 0 ? undefined : toTime(startMs); // 0: it is never reset
  const same = last?.periodStartTime === periodStartTime ? last : undefined;
  const isLess =
    same !== undefined && same.limit === formatAmount(top.type, top.limit) && usedPercent(top) < same.usedPercent;
  if (settling && isLess) return same;
  const now = toTime(nowMs);
  return {
    name: top.name,
    type: top.type,
    limit: formatAmount(top.type, top.limit),
    used: formatAmount(top.type, top.used),
    usedPercent: usedPercent(top),
    ...only('periodStartTime', periodStartTime),
    ...(top.resetsAtMs === undefined ? {} : { nextResetTime: toTime(top.resetsAtMs) }),
    ...only('alertTime', same?.alertTime ?? (isAlerted ? now : undefined)),
    ...only('alertSentTime', same?.alertSentTime),
    ...only('exhaustedTime', same?.exhaustedTime ?? (ended.length > 0 ? now : undefined)),
    ...only('exhaustedSentTime', same?.exhaustedSentTime),
    ...(apart ? countersOf(rows, ended) : {}),
  };
}

const countersOf = (rows: readonly BudgetRow[], ended: readonly BudgetRow[]): Partial<UsageRow> => ({
  counters: rows.length,
  exhaustedCounters: ended.length,
  ...(ended.length === 0 ? {} : { exhausted: firstNames(ended) }),
});

const firstNames = (rows: readonly BudgetRow[]): string[] =>
  rows
    .map(({ owner, slot }) => (owner.bucket ?? slot).slice(0, MAX_NAME) || 'default')
    .sort()
    .slice(0, MAX_NAMED_COUNTERS);

const only = (name: keyof UsageRow, value: string | undefined) => (value === undefined ? {} : { [name]: value });

/** As times in statuses are written: whole seconds. */
export const toTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

export const isExhausted = ({ usedPercent: percent }: UsageRow): boolean => percent >= 100;

/** How soon a change must be seen. */
export type Change = 'none' | 'step' | 'phase';

/** Steps in which the use of a budget is shown. */
const STEPS = 10;

/** `phase`: something was used up, has reached its alert, or is free again; `step`: another tenth, period, limit or count. */
export function changeOf(before: readonly UsageRow[], after: readonly UsageRow[]): Change {
  const phases = [before, after].map((rows) => JSON.stringify(rows.filter(isNews).map(phaseOf)));
  if (phases[0] !== phases[1]) return 'phase';
  const steps = [before, after].map((rows) => JSON.stringify(rows.map(stepOf)));
  return steps[0] === steps[1] ? 'none' : 'step';
}

const isNews = (row: UsageRow): boolean => isExhausted(row) || row.alertTime !== undefined;

const phaseOf = (row: UsageRow): unknown => [row.name, isExhausted(row), row.alertTime, row.exhaustedTime];

const stepOf = ({ name, type, limit, usedPercent: percent, nextResetTime, exhaustedCounters }: UsageRow): unknown => [
  ...[name, type, limit, Math.floor((percent * STEPS) / 100), nextResetTime, exhaustedCounters],
];

const UNITS = { cost: 'US dollars', tokens: 'tokens', requests: 'requests' } as const;

/** What the condition `Exhausted` says; undefined while every budget has something left. */
export function exhaustionOf(rows: readonly UsageRow[]): Explanation | undefined {
  const ended = rows.filter(isExhausted);
  if (ended.length === 0) return undefined;
  return { reason: 'Exhausted', message: `Used up: ${ended.map(describeRow).join(', ')}`.slice(0, MAX_MESSAGE) };
}

const MAX_MESSAGE = 1_000;

/** A budget that is used up, for people. */
export function describeRow({
  name,
  type,
  limit,
  nextResetTime,
  exhausted,
  exhaustedCounters,
  counters,
}: UsageRow): string {
  const until = nextResetTime === undefined ? 'never reset' : `until ${nextResetTime}`;
  const where =
    exhausted === undefined ? '' : `, ${exhaustedCounters} of ${counters} counters, among them ${exhausted.join(', ')}`;
  return `${name} (${limit} ${UNITS[type]}, ${until}${where})`;
}
