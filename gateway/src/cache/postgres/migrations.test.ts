import { readdirSync } from 'node:fs';
import { statementsOf } from '@gatehouse/crds/sql';
import { expect, test } from 'vitest';
import { MIGRATIONS } from './migrations.generated.ts';

test('are the files of the folder, numbered without gaps', () => {
  const files = readdirSync(new URL('sql/', import.meta.url)).sort();
  expect(MIGRATIONS.map(({ name }) => `${name}.sql`)).toEqual(files);
  expect(MIGRATIONS.map(({ name }) => Number(name.slice(0, 4)))).toEqual(MIGRATIONS.map((_, i) => i + 1));
});

test.for(MIGRATIONS)('$name only adds, in the schema of the cache or the extension', ({ sql }) => {
  for (const statement of statementsOf(sql)) {
    expect(statement).toMatch(
      /^(create extension if not exists vector$|(create table|create (unique )?index \w+ on|alter table) gateway_cache\.)/,
    );
    expect(statement).not.toMatch(/\b(drop|rename|truncate|alter\s+column|set\s+not\s+null)\b/i);
  }
});
