/** The programs as one file each, for images and the npm package; run as a program, it bundles them all. */
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

/** Writes the bundle of a program, into its workspace unless told; returns the path. Rejects when it has no entry point. */
export async function bundleProgram(
  name: ProgramName,
  file: string = join(ROOT, PROGRAMS[name].file),
): Promise<string> {
  const { entry } = PROGRAMS[name];
  if (!existsSync(join(ROOT, entry))) throw new Error(`${entry}, the entry point of ${name}, does not exist`);
  await bundleFile(join(ROOT, entry), file);
  return file;
}

/** Writes a program, given by its entry point, as one file. */
export async function bundleFile(entry: string, file: string): Promise<void> {
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
    await build.write({
      file,
      format: 'esm',
      minify: false,
      codeSplitting: false,
      sourcemap: false,
      plugins: [ASCII_ONLY],
    });
  } finally {
    await build.close();
  }
}

const ASCII_ONLY: Plugin = { name: 'ascii-only', renderChunk: toAscii };

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of Object.keys(PROGRAMS) as ProgramName[]) await bundleProgram(name); // the names as written there
}
