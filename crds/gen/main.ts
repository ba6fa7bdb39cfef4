/** Writes the generated files; with `--check` compares them with what is committed and fails on a difference. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GENERATED_FOLDERS, generatedFiles } from './outputs.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

function main(): void {
  const files = generatedFiles();
  const leftovers = GENERATED_FOLDERS.flatMap(filesIn).filter((path) => !files.has(path));
  const stale = [...files].filter(([path, content]) => read(path) !== content).map(([path]) => path);
  if (!process.argv.includes('--check')) {
    for (const path of leftovers) rmSync(join(ROOT, path));
    for (const path of stale) write(path, files.get(path) ?? '');
    console.log(`${files.size} files, ${stale.length} written, ${leftovers.length} removed`);
    return;
  }
  for (const path of [...stale, ...leftovers]) console.error(`not up to date: ${path}`);
  if (stale.length + leftovers.length > 0) process.exitCode = 1;
}

function filesIn(folder: string): string[] {
  const path = join(ROOT, folder);
  return existsSync(path) ? readdirSync(path).map((name) => `${folder}/${name}`) : [];
}

function read(path: string): string | undefined {
  const file = join(ROOT, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function write(path: string, content: string): void {
  const file = join(ROOT, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

main();
