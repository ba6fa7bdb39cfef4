/** Bundles each program into one file, for images and the npm package; run as a program, it bundles all of them. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
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

/** Bundles an entry point into one file; returns the paths of its modules. */
export async function bundleFile(entry: string, file: string): Promise<readonly string[]> {
  const build = await rolldown({
    input: entry,
    cwd: ROOT,
    platform: 'node',
    resolve: { conditionNames: ['@gatehouse/source', 'node', 'import', 'default'] },
    onLog: (level, log, handle) => {
      if (log.code !== 'CIRCULAR_DEPENDENCY') handle(level, log);
    },
  });
  try {
    const { output } = await build.write({
      file,
      format: 'esm',
      minify: false,
      codeSplitting: false,
      sourcemap: false,
      plugins: [ASCII_ONLY],
    });
    return output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
  } finally {
    await build.close();
  }
}

const ASCII_ONLY: Plugin = { name: 'ascii-only', renderChunk: toAscii };

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of Object.keys(PROGRAMS) as ProgramName[]) await bundleProgram(name); // the keys of the object above
}
