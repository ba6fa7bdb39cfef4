/** Bundles each program into a few files, for images and the npm package; run as a program, it bundles all of them. */
import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { basename, dirname, join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import { toAscii } from './ascii.ts';
import { type Part, partCycle } from './part-cycle.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

export const PROGRAMS = {
  gateway: { entry: 'gateway/src/main.ts', file: 'gateway/dist/gateway.js' },
  operator: { entry: 'operator/src/main.ts', file: 'operator/dist/operator.js' },
  standalone: {
    entry: 'standalone/src/main.ts',
    file: 'standalone/dist/gatehouse.js',
    thread: 'standalone/src/database/pglite-thread.ts',
  },
} as const satisfies Readonly<Record<string, Program>>;

interface Program {
  readonly entry: string;
  readonly file: string;
  /** What it starts as a thread, which is bundled apart: it is looked for beside the other parts, with the same name. */
  readonly thread?: string;
}

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
  const { entry, thread }: Program = PROGRAMS[name];
  if (!existsSync(join(ROOT, entry))) throw new Error(`${entry}, the entry point of ${name}, does not exist`);
  const modules = await bundleFile(join(ROOT, entry), file);
  return thread === undefined ? modules : [...modules, ...(await bundleThread(join(ROOT, thread), partsOf(file)))];
}

/** Its parts are beside it, with its name before theirs. */
function bundleThread(entry: string, folder: string): Promise<readonly string[]> {
  const { name } = parse(entry);
  return bundle(entry, { folder, file: `${name}.mjs`, parts: '', partPrefix: `${name}-` });
}

/** The folder that holds the parts of the bundle in that file; a bundle is both. */
export const partsOf = (file: string): string => join(dirname(file), parse(file).name);

/**
 * Bundles an entry point into a file and the parts that it imports; returns the paths of its modules. Compiling takes memory for a
 * whole part at once, which stays with the process: 15 MB more when idle for a gateway of one part, 9 for one with a part for each
 * workspace.
 */
export const bundleFile = (entry: string, file: string): Promise<readonly string[]> =>
  bundle(entry, {
    ...{ folder: dirname(file), file: basename(file), parts: `${basename(partsOf(file))}/`, partPrefix: '' },
  });

interface Output {
  readonly folder: string;
  /** In the folder. */
  readonly file: string;
  /** Where the parts are in the folder; ends with a slash. */
  readonly parts: string;
  readonly partPrefix: string;
}

async function bundle(entry: string, { folder, file, parts, partPrefix }: Output): Promise<readonly string[]> {
  const build = await rolldown({
    input: entry,
    cwd: ROOT,
    platform: 'node',
    preserveEntrySignatures: false,
    resolve: { conditionNames: ['@gatehouse/source'] },
    onLog: (level, log, handle) => {
      if (!isExpected(log)) handle(level, log);
    },
  });
  try {
    const { output } = await build.write({
      dir: folder,
      entryFileNames: file,
      chunkFileNames: `${parts}${partPrefix}[name].mjs`,
      format: 'esm',
      minify: false,
      codeSplitting: { groups: PARTS },
      sourcemap: false,
      plugins: [ASCII_ONLY],
    });
    const chunks = output.filter((part) => part.type === 'chunk');
    checkOrder(chunks);
    const modules = chunks.flatMap(({ moduleIds }) => moduleIds);
    await copyAssets(modules, join(folder, parts));
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

/** What is loaded only where it is used, each large package, the small ones together, and each folder or workspace of ours. */
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
  {
    debugName: 'folder',
    name: (path: string) => (path.startsWith(ROOT) ? partOf(path.slice(ROOT.length)) : null),
    includeDependenciesRecursively: false,
    priority: 0,
  },
];

/** Workspaces whose folders import each other in one direction only. */
const LAYERED: ReadonlySet<string> = new Set(['crds', 'gateway']);
/** The folder that puts a workspace together is in one part with its entry point. */
const ROOT_FOLDER = 'app';

/** `gateway-wire` for `gateway/src/wire/…`; otherwise the workspace. */
function partOf(path: string): string | null {
  const [workspace = '', sources, folder, ...below] = path.split('/');
  const isRoot = sources !== 'src' || below.length === 0 || folder === ROOT_FOLDER;
  return isRoot || !LAYERED.has(workspace) ? workspace : `${workspace}-${folder}`;
}

/** Throws when parts of ours import each other; those of packages may, as CommonJS runs on demand. */
function checkOrder(parts: readonly (Part & { readonly moduleIds: readonly string[] })[]): void {
  const own = parts.filter(({ moduleIds }) => moduleIds.some((id) => packageIn(id) === undefined));
  const cycle = partCycle(own);
  if (cycle !== undefined) throw new Error(`Parts of a bundle import each other: ${cycle.join(', ')}`);
}

/** The package that holds the module; the innermost one. */
const packageIn = (path: string): string | undefined => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];

const ASCII_ONLY: Plugin = { name: 'ascii-only', renderChunk: toAscii };

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of Object.keys(PROGRAMS) as ProgramName[]) await bundleProgram(name); // the keys of the object above
}
