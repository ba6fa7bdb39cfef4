import { expect, test } from 'vitest';
import { statementsOf } from '../sql/index.ts';
import { DAILY_TABLES, LOG_COLUMNS, MIGRATIONS } from './index.ts';

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
