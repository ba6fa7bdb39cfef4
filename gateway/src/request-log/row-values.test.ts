import { LOG_COLUMNS, type LogRow } from '@gatehouse/crds/logs';
import { expect, test } from 'vitest';
import { rowValues } from './row-values.ts';

test('values are in the order of the columns', () => {
  const names = Object.keys(LOG_COLUMNS);
  const row = Object.fromEntries(names.map((name) => [name, name])) as unknown as LogRow; // each value says its name
  expect(rowValues(row)).toEqual(names);
});
