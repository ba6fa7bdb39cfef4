import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('.', import.meta.url));
const IMPORT = /\bfrom '(\.{1,2}\/[^']+)'/g;

const files = globSync('**/*.ts', { cwd: ROOT }).filter((file) => !file.endsWith('.test.ts'));
const importsOf = new Map(
  files.map((file) => {
    const specifiers = readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT);
    return [file, [...specifiers].map(([, specifier = '']) => join(dirname(file), specifier))];
  }),
);

/** The first path of imports that leads back to where it began, type imports included; empty: there is none. */
function findCycle(): readonly string[] {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): readonly string[] => {
    const start = path.indexOf(file);
    if (start >= 0) return [...path.slice(start), file];
    if (done.has(file)) return [];
    for (const imported of importsOf.get(file) ?? []) {
      const cycle = visit(imported, [...path, file]);
      if (cycle.length > 0) return cycle;
    }
    done.add(file);
    return [];
  };
  for (const file of files) {
    const cycle = visit(file, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}

test('no files of the operator import each other in a circle, not even types', () => {
  expect(importsOf.get('translate/translate.ts')).toContain('translate/parse-objects.ts');
  expect(findCycle()).toEqual([]);
});
