import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { statementsOf } from '../sql/index.ts';
import { MIGRATIONS } from './index.ts';

/** What a version before this one would not survive, while its pods still run. */
const BREAKING = /\b(drop|rename|truncate|delete|alter\s+column|set\s+not\s+null)\b/i;
const ADDED_COLUMN = /\badd\s+column\b/i;

describe('migrations', () => {
  test('are the files of the folder, numbered without gaps', () => {
    const files = readdirSync(new URL('sql/', import.meta.url)).sort();
    expect(MIGRATIONS.map(({ name }) => `${name}.sql`)).toEqual(files);
    expect(MIGRATIONS.map(({ name }) => Number(name.slice(0, 4)))).toEqual(MIGRATIONS.map((_, i) => i + 1));
  });

  test.for(MIGRATIONS)('$name only adds, in the schema of Gatehouse', ({ sql }) => {
    const statements = statementsOf(sql);
    expect(statements.length).toBeGreaterThan(0);
    for (const statement of statements) {
      expect(statement).not.toMatch(BREAKING);
      expect(statement).toMatch(/^(create table|create (unique )?index \w+ on|alter table) /);
      expect(statement).toContain('gatehouse.');
      if (ADDED_COLUMN.test(statement)) expect(statement).not.toMatch(/not null(?!.*default)/i);
    }
  });
});

test('the statements of a migration are told apart by lines', () => {
  expect(statementsOf("-- why;\ncreate a (\n  b text default ';'\n);\n\ncreate c;\n")).toEqual([
    "create a (\n  b text default ';'\n)",
    'create c',
  ]);
});
