/** Bundles the programs to one file each, for images and the npm package: `dist/<program>.js` of their workspace. */
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

interface Program {
  readonly entry: string;
  readonly file: string;
}

const PROGRAMS: readonly Program[] = [{ entry: 'standalone/src/main.ts', file: 'standalone/dist/gatehouse.js' }];

export async function bundle({ entry, file }: Program): Promise<void> {
  const build = await rolldown({
    input: `${ROOT}${entry}`,
    platform: 'node',
    resolve: { conditionNames: ['@gatehouse/source', 'node', 'import', 'default'] },
    onLog: (level, log, handle) => {
      if (log.code !== 'CIRCULAR_DEPENDENCY') handle(level, log);
    },
  });
  await build.write({ file: `${ROOT}${file}`, format: 'esm', minify: false, codeSplitting: false, sourcemap: false });
  await build.close();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) for (const program of PROGRAMS) await bundle(program);
