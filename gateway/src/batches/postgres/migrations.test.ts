import { readdirSync } from 'node:fs';
import { statementsOf } from '@gatehouse/crds/sql';
import { expect, test } from 'vitest';
import { MIGRATIONS } from './migrations.generated.ts';

/** What a version before this one would not survive, while its pods still run. */
const BREAKING = /\b(drop|rename|truncate|alter\s+column|set\s+not\s+null)\b/i;

test('are the files of the folder, numbered without gaps', () => {
  const files = readdirSync(new URL('sql/', import.meta.url)).sort();
  expect(MIGRATIONS.map(({ name }) => `${name}.sql`)).toEqual(files);
  expect(MIGRATIONS.map(({ name }) => Number(name.slice(0, 4)))).toEqual(MIGRATIONS.map((_, i) => i + 1));
});

test.for(MIGRATIONS)('$name only adds, in the schema of batches', ({ sql }) => {
  for (const statement of statementsOf(sql)) {
    expect(statement).not.toMatch(BREAKING);
    expect(statement).toMatch(/^(create table|create (unique )?index \w+ on|alter table) /);
    expect(statement).toContain('gateway_batches.');
  }
});
