import { expect, test } from 'vitest';
import { statementsOf } from '../sql/index.ts';
import { clickHouseStatements, DAILY_TABLES, LOG_COLUMNS, MIGRATIONS } from './index.ts';

const statements = MIGRATIONS.flatMap(({ sql }) => statementsOf(sql));

/** Names of the columns of a table, in their order. */
function columnsOf(table: string): string[] {
  const made = statements.find((text) => text.startsWith(`create table gateway_logs.${table} (`)) ?? '';
  const first = [...made.matchAll(/^ {2}(\w+) (?!key)/gm)].map(([, name = '']) => name);
  return [...first.filter((name) => name !== 'primary'), ...addedTo(table, statements)];
}

/** Names of columns that a table got later. */
function addedTo(table: string, among: readonly string[]): string[] {
  const added = new RegExp(`^alter table gateway_logs\\.${table} add column (?:if not exists )?(\\w+) `);
  return among.flatMap((text) => added.exec(text)?.[1] ?? []);
}

test('the columns of the table are those of the row', () => {
  expect(columnsOf('logs')).toEqual(Object.keys(LOG_COLUMNS));
});

test('both roll-ups have the same columns', () => {
  expect(columnsOf('log_minutes')).toEqual(columnsOf('log_hours'));
});

test.for(DAILY_TABLES)('%s has partitions', (table) => {
  const made = statements.find((text) => text.startsWith(`create table gateway_logs.${table} (`));
  expect(made).toMatch(/partition by range \((created_at|bucket)\)$/);
});

/** Names of the columns of a table of ClickHouse, in their order. */
function clickHouseColumnsOf(table: string): string[] {
  const made = clickHouseStatements().find((text) =>
    text.startsWith(`create table if not exists gateway_logs.${table} (`),
  );
  const first = [...(made ?? '').matchAll(/^ {2}(\w+) [A-Z]/gm)].map(([, name = '']) => name);
  return [...first, ...addedTo(table, clickHouseStatements())];
}

/** ClickHouse has them in a table of their own. */
const FALLBACKS = { log_minutes: 'fallback_minutes', log_hours: 'fallback_hours' } as const;

test.for(DAILY_TABLES)('%s has the same columns in both databases', (table) => {
  const isRollUp = table === 'log_minutes' || table === 'log_hours';
  const beside = isRollUp ? clickHouseColumnsOf(FALLBACKS[table]).slice(-1) : [];
  expect([...clickHouseColumnsOf(table), ...beside]).toEqual(columnsOf(table));
});

test('every statement of ClickHouse may run again', () => {
  for (const statement of clickHouseStatements()) {
    expect(statement).toMatch(
      /^(create (database|table|materialized view) if not exists|alter table .* add (column|index) if not exists) /,
    );
  }
});
