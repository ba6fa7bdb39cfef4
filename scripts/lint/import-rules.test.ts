import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { EVERYWHERE, type ImportRule, LAYERS, RULES } from './import-rules.ts';
import { layerRules, toOverrides } from './overrides.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const foldersOf = (path: string): string[] =>
  readdirSync(join(ROOT, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/** Lints files with these rules alone; gives the paths of the files that were refused. */
function refused(files: Readonly<Record<string, string>>, rules: readonly ImportRule[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-lint-'));
  try {
    const config = { root: true, linter: { rules: { preset: 'none' } }, overrides: toOverrides(rules, EVERYWHERE) };
    for (const [path, text] of [...Object.entries(files), ['biome.json', JSON.stringify(config)] as const]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return lint(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Biome's exit code is 1 when it refuses something; its report is on the standard output either way. */
function lint(folder: string): string[] {
  const biome = join(ROOT, 'node_modules/.bin/biome');
  let report: string;
  try {
    report = execFileSync(biome, ['lint', '--reporter=json', '.'], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    report = (error as { stdout: string }).stdout; // the shape of the error that execFileSync throws
  }
  const { diagnostics } = JSON.parse(report);
  const paths = diagnostics.map((row: { location: { path: string | { file: string } } }) =>
    typeof row.location.path === 'string' ? row.location.path : row.location.path.file,
  );
  return [...new Set<string>(paths)].toSorted();
}

test.for(LAYERS)('every folder of $parent has a row in its layers, and every row a folder', ({ parent, mayImport }) => {
  expect(Object.keys(mayImport).toSorted()).toEqual(foldersOf(parent).toSorted());
});

test('every rule is about a folder or file that exists', () => {
  const paths = [...EVERYWHERE, ...RULES].flatMap((rule) => [...rule.in, ...(rule.except ?? [])]);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('refuses a sibling that is not allowed, a package and a composition root, in type imports too', () => {
  const files = {
    'gateway/src/lib/a.ts': "import type { Cache } from '../cache/index.ts';\nexport type A = Cache;\n",
    'gateway/src/cache/b.ts': "export { parse } from '../lib/parse.ts';\n",
    'gateway/src/cache/deep/c.ts': "export { serve } from '../../listener/serve.ts';\n",
    'gateway/src/listener/d.ts': "export { KubeConfig } from '@kubernetes/client-node';\n",
    'operator/src/kinds/e.ts': "export { createGateway } from '@gatehouse/gateway';\n",
    'standalone/src/cli/f.ts': "export { main } from '../main.ts';\n",
    'operator/src/kinds/g.ts': "export { createGateway } from '../../../gateway/src/index.ts';\n",
    'gateway/src/lib/h.ts': "export { createGateway } from '@gatehouse/gateway';\n",
    'gateway/src/providers/google/i.ts': "export { anthropic } from '../anthropic/index.ts';\n",
    'gateway/src/providers/google/j.ts': "export { toAnthropicBody } from '../../wire/anthropic/index.ts';\n",
    'gateway/src/lib/a.test.ts': "export { Cache } from '../cache/index.ts';\n",
    'gateway/src/lib/b.test.ts': "export { main } from '../main.ts';\n",
  };
  expect(refused(files, [...LAYERS.flatMap(layerRules), ...RULES])).toEqual([
    'gateway/src/cache/deep/c.ts',
    'gateway/src/lib/a.ts',
    'gateway/src/lib/b.test.ts',
    'gateway/src/lib/h.ts',
    'gateway/src/listener/d.ts',
    'gateway/src/providers/google/i.ts',
    'operator/src/kinds/e.ts',
    'operator/src/kinds/g.ts',
    'standalone/src/cli/f.ts',
  ]);
});

test('frees an excepted folder or file of one rule and of no other', () => {
  const rules: ImportRule[] = [
    { in: ['gateway/src'], except: ['gateway/src/upstream', 'gateway/src/a.ts'], forbids: ['undici'], message: 'No.' },
    { in: ['gateway/src'], forbids: ['fastify'], message: 'No.' },
  ];
  const files = {
    'gateway/src/a.ts': "export { Pool } from 'undici';\n",
    'gateway/src/b.ts': "export { Pool } from 'undici';\n",
    'gateway/src/upstream/c.ts': "export { Pool } from 'undici';\n",
    'gateway/src/upstream/d.ts': "export { fastify } from 'fastify';\n",
  };
  expect(refused(files, rules)).toEqual(['gateway/src/b.ts', 'gateway/src/upstream/d.ts']);
});
