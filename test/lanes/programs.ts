/** Bundles the programs that tests start as processes, once for all lanes. */
import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleProgram } from '../../images/bundle.ts';
import { COMPILED, type ProgramName } from '../kit/programs.ts';

/** Each with the status that it ends with when it is asked for help: the gateway has no options, and lacks its environment then. */
const PROGRAMS: readonly (readonly [name: ProgramName, status: number])[] = [
  ['gateway', 78],
  ['operator', 0],
  ['standalone', 0],
];

/** Writes the bundles as `NAME.js`, over those of an earlier run. Rejects when one cannot be made or does not start. */
export async function bundlePrograms(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  for (const [name, expected] of PROGRAMS) {
    const file = join(folder, `${name}.js`);
    await bundleProgram(name, file);
    // Node keeps what it has compiled when a process ends by itself; most of those that tests start are killed.
    const { status, stderr } = spawnSync(process.execPath, [file, '--help'], { env: COMPILED, encoding: 'utf8' });
    if (status !== expected) throw new Error(`${file} does not start: ${stderr}`);
  }
}
