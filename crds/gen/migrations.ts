/** The SQL files of the migrations as a module, so that a bundle has them. */
import { readdirSync, readFileSync } from 'node:fs';

const ROOT = new URL('../../', import.meta.url);

/** `folder`: of the SQL files, below the repository root, with a slash at its end; `constant`: its name. */
export function migrationsModule(notice: string, folder: string, constant = 'MIGRATIONS'): string {
  const files = new URL(folder, ROOT);
  const names = readdirSync(files).sort();
  const items = names.map(
    (name) => `  {\n    name: '${name.replace(/\.sql$/, '')}',\n    sql: ${literalOf(name, files)},\n  },`,
  );
  return [
    `// ${notice}`,
    '',
    '/** Migrations of the database in their order. */',
    `export const ${constant}: readonly { readonly name: string; readonly sql: string }[] = [`,
    ...items,
    '];',
    '',
  ].join('\n');
}

function literalOf(name: string, folder: URL): string {
  const text = readFileSync(new URL(name, folder), 'utf8');
  if (/[`\\$]/.test(text)) throw new Error(`${name}: migrations have no backquote, backslash or dollar sign`);
  return `\`${text}\``;
}
