import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The variable with the folder of the bundles; the test command sets it. */
export const PROGRAMS_FOLDER = 'TEST_PROGRAMS';

/** The environment of programs that tests start: else half the time of their start is that of reading them. */
export const COMPILED = { NODE_COMPILE_CACHE: join(ROOT, '.cache/compiled') } as const;

export type ProgramName = 'gateway' | 'operator' | 'standalone';

/**
 * The arguments of Node that start a program: the bundle that the test command has made of this checkout, which starts in a fifth of the
 * time, or its sources.
 */
export function programArgs(name: ProgramName): readonly string[] {
  const folder = process.env[PROGRAMS_FOLDER];
  return folder === undefined
    ? ['--conditions=@gatehouse/source', join(ROOT, name, 'src/main.ts')]
    : [join(folder, `${name}.js`)];
}
