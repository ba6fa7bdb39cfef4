/** The SQL files of the migrations as a module, so that a bundle has them. */
import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../src/records/sql/', import.meta.url);

export function migrationsModule(notice: string): string {
  const names = readdirSync(FOLDER).sort();
  const items = names.map(
    (name) => `  {\n    name: '${name.replace(/\.sql$/, '')}',\n    sql: ${literalOf(name)},\n  },`,
  );
  return [
    `// ${notice}`,
    '',
    '/** Migrations of the database in their order. */',
    'export const MIGRATIONS: readonly { readonly name: string; readonly sql: string }[] = [',
    ...items,
    '];',
    '',
  ].join('\n');
}

function literalOf(name: string): string {
  const text = readFileSync(new URL(name, FOLDER), 'utf8');
  if (/[`\\$]/.test(text)) throw new Error(`${name}: migrations have no backquote, backslash or dollar sign`);
  return `\`${text}\``;
}
