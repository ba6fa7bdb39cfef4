/** Bundles each program into a few files, for images and the npm package; run as a program, it bundles all of them. */
import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { basename, dirname, join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import { toAscii } from './ascii.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

export const PROGRAMS = {
  gateway: { entry: 'gateway/src/main.ts', file: 'gateway/dist/gateway.js' },
  operator: { entry: 'operator/src/main.ts', file: 'operator/dist/operator.js' },
  standalone: { entry: 'standalone/src/main.ts', file: 'standalone/dist/gatehouse.js' },
} as const;
export type ProgramName = keyof typeof PROGRAMS;

/** Writes the bundle of a program, by default into its workspace; returns the path. Rejects without an entry point. */
export async function bundleProgram(
  name: ProgramName,
  file: string = join(ROOT, PROGRAMS[name].file),
): Promise<string> {
  await bundleModules(name, file);
  return file;
}

/** Writes the bundle of a program; returns the paths of the modules that are in it. */
export async function bundleModules(name: ProgramName, file: string): Promise<readonly string[]> {
  const { entry } = PROGRAMS[name];
  if (!existsSync(join(ROOT, entry))) throw new Error(`${entry}, the entry point of ${name}, does not exist`);
  return bundleFile(join(ROOT, entry), file);
}

/** The folder that holds the parts of the bundle in that file; a bundle is both. */
export const partsOf = (file: string): string => join(dirname(file), parse(file).name);

/**
 * Bundles an entry point into a file and the parts that it imports; returns the paths of its modules. Compiling takes memory for a
 * whole part at once, which stays with the process: 15 MB more when idle for a gateway of one part.
 */
export async function bundleFile(entry: string, file: string): Promise<readonly string[]> {
  const build = await rolldown({
    input: entry,
    cwd: ROOT,
    platform: 'node',
    preserveEntrySignatures: false,
    resolve: { conditionNames: ['@gatehouse/source', 'node', 'import', 'default'] },
    onLog: (level, log, handle) => {
      if (!isExpected(log)) handle(level, log);
    },
  });
  try {
    const { output } = await build.write({
      dir: dirname(file),
      entryFileNames: basename(file),
      chunkFileNames: `${basename(partsOf(file))}/[name].mjs`,
      format: 'esm',
      minify: false,
      codeSplitting: { groups: PARTS },
      sourcemap: false,
      plugins: [ASCII_ONLY],
    });
    const modules = output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
    await copyAssets(modules, partsOf(file));
    return modules;
  } finally {
    await build.close();
  }
}

/** PGlite evaluates code that its compiler has put into it. */
const isExpected = ({ code, id = '' }: { readonly code?: string; readonly id?: string }): boolean =>
  code === 'CIRCULAR_DEPENDENCY' || (code === 'EVAL' && id.includes('/@electric-sql/pglite/'));

/** What PGlite reads from beside its modules. */
const ASSETS = ['pglite.wasm', 'pglite.data', 'initdb.wasm'];

async function copyAssets(modules: readonly string[], folder: string): Promise<void> {
  const pglite = modules.find((path) => path.includes('/@electric-sql/pglite/dist/'));
  if (pglite === undefined) return;
  for (const name of ASSETS) await copyFile(join(dirname(pglite), name), join(folder, name));
}

const MIN_PACKAGE_BYTES = 100_000;

/** What is loaded only where it is used, each large package, the small ones together, and our own code. */
const PARTS = [
  {
    name: 'opentelemetry',
    test: /\/node_modules\/@opentelemetry\/(?!api\/)/, // a package that is always loaded needs that one
    includeDependenciesRecursively: false,
    priority: 3,
  },
  {
    debugName: 'package',
    name: (path: string) => packageIn(path)?.replace('/', '-') ?? null,
    minSize: MIN_PACKAGE_BYTES,
    includeDependenciesRecursively: false,
    priority: 2,
  },
  { name: 'packages', test: /\/node_modules\//, priority: 1 },
  { name: 'gatehouse', test: (path: string) => path.startsWith(ROOT), priority: 0 },
];

/** The package that holds the module; the innermost one. */
const packageIn = (path: string): string | undefined => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];

const ASCII_ONLY: Plugin = { name: 'ascii-only', renderChunk: toAscii };

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of Object.keys(PROGRAMS) as ProgramName[]) await bundleProgram(name); // the keys of the object above
}
