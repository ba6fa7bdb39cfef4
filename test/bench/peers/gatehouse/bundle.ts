import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleFile } from '../../../../images/bundle.ts';
import type { Bench } from '../../bench.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const ENTRY = 'test/bench/peers/gatehouse/main.ts';

/** Writes the gateway as one file, the way its image holds it. */
export async function bundleGatehouse(file: string): Promise<void> {
  await bundleFile(join(ROOT, ENTRY), file);
}

/** Writes the gateway of a Git revision as one file, with the packages of its own lock file. */
export async function bundleRevision({ processes, directory }: Bench, revision: string, file: string): Promise<void> {
  const checkout = join(directory, 'earlier');
  await mkdir(checkout);
  const script = 'git -C "$1" archive "$2" | tar -x -C "$3" && cd "$3" && npm ci --ignore-scripts --no-audit --no-fund';
  await processes.run('bash', { args: ['-euo', 'pipefail', '-c', script, 'bash', ROOT, revision, checkout] });
  await bundleFile(join(checkout, ENTRY), file);
}
