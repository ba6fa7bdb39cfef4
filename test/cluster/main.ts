/**
 * The test cluster by hand:
 *
 *   build [--tier 1|2] [PROGRAM…]   builds what is missing into the cache folder
 *   check [--tier 1|2]              whether the programs are there or can be built, and for tier 2 whether nodes can run
 *   up [--tier 1|2] [--nodes N] [--detach]
 *   status | kubeconfig | down      of the cluster of the last `up`
 *
 * `--folder DIR` (`.gatehouse/cluster`) separates clusters. `up` without `--detach` ends with Ctrl-C.
 */
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { canBuild, ensurePrograms, missingPrograms } from './build.ts';
import { bringDown, bringUp, bringUpDetached, findCluster } from './by-hand.ts';
import { nodesUnavailable } from './nodes/requirements.ts';
import { isProgramName, PROGRAMS_OF_TIER, type Tier } from './programs.ts';

const options = z.object({
  tier: z.enum(['1', '2']).transform((tier): Tier => (tier === '1' ? 1 : 2)),
  nodes: z.coerce.number().int().min(1).max(8),
  folder: z.string(),
  detach: z.boolean(),
});
type Options = z.infer<typeof options>;

const say = (line: string): void => console.log(line);

const COMMANDS: ReadonlyMap<string, (options: Options, rest: readonly string[]) => Promise<number>> = new Map([
  ['build', build],
  ['check', check],
  ['up', up],
  ['down', down],
  ['status', status],
  ['kubeconfig', kubeconfig],
]);

async function build({ tier }: Options, names: readonly string[]): Promise<number> {
  const unknown = names.filter((name) => !isProgramName(name));
  if (unknown.length > 0) return complain(`Unknown program: ${unknown.join(', ')}`);
  const wanted = names.length === 0 ? PROGRAMS_OF_TIER[tier] : names.filter(isProgramName);
  for (const [name, path] of await ensurePrograms(wanted, { onProgress: say })) say(`${name}\t${path}`);
  return 0;
}

async function check({ tier }: Options): Promise<number> {
  const missing = missingPrograms(PROGRAMS_OF_TIER[tier]);
  if (missing.length > 0 && !canBuild()) return complain(`Missing ${missing.join(', ')}, and no Go to build them`);
  const reason = tier === 2 ? nodesUnavailable() : undefined;
  return reason === undefined ? 0 : complain(reason);
}

async function up({ tier, nodes, folder, detach }: Options): Promise<number> {
  if (findCluster(folder) !== undefined) return complain(`A cluster of ${folder} is running`);
  const start = { tier, nodes, folder, onProgress: say };
  const cluster = await (detach ? bringUpDetached(start) : bringUp(start));
  say(`export KUBECONFIG=${cluster.kubeconfigPath}`);
  if (!detach) await cluster.ended;
  return 0;
}

async function down({ folder }: Options): Promise<number> {
  await bringDown(folder);
  return 0;
}

async function status({ folder }: Options): Promise<number> {
  const cluster = findCluster(folder);
  if (cluster === undefined) return complain(`No cluster of ${folder}`);
  say(JSON.stringify(cluster, undefined, 2));
  return 0;
}

async function kubeconfig({ folder }: Options): Promise<number> {
  const cluster = findCluster(folder);
  if (cluster === undefined) return complain(`No cluster of ${folder}`);
  say(cluster.kubeconfigPath);
  return 0;
}

function complain(line: string): number {
  console.error(line);
  return 1;
}

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      tier: { type: 'string', default: '1' },
      nodes: { type: 'string', default: '1' },
      folder: { type: 'string', default: '.gatehouse/cluster' },
      detach: { type: 'boolean', default: false },
    },
  });
  const [name = '', ...rest] = positionals;
  const command = COMMANDS.get(name);
  const { success, data, error } = options.safeParse(values);
  if (command === undefined) return complain(`Commands: ${[...COMMANDS.keys()].join(', ')}`);
  return success ? command(data, rest) : complain(z.prettifyError(error));
}

process.exitCode = await main(process.argv.slice(2));
