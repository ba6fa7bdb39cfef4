import { expect, test } from 'vitest';
import { statementsOf } from '../sql/index.ts';
import { clickHouseStatements, DAILY_TABLES, LOG_COLUMNS, MIGRATIONS } from './index.ts';

const statements = MIGRATIONS.flatMap(({ sql }) => statementsOf(sql));

/** Names of the columns of a table, in their order. */
function columnsOf(table: string): string[] {
  const made = statements.find((text) => text.startsWith(`create table gateway_logs.${table} (`)) ?? '';
  return [...made.matchAll(/^ {2}(\w+) (?!key)/gm)].map(([, name = '']) => name).filter((name) => name !== 'primary');
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
  return [...(made ?? '').matchAll(/^ {2}(\w+) [A-Z]/gm)].map(([, name = '']) => name);
}

test.for(DAILY_TABLES)('%s has the same columns in both databases', (table) => {
  expect(clickHouseColumnsOf(table)).toEqual(columnsOf(table));
});

test('every statement of ClickHouse may run again', () => {
  for (const statement of clickHouseStatements()) {
    expect(statement).toMatch(
      /^(create (database|table|materialized view) if not exists|alter table .* add (column|index) if not exists) /,
    );
  }
});
