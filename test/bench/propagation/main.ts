/** `make bench-propagation`: how soon an edit is served by every gateway and the end of a budget shown, and what 100,000 keys take. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createMockProvider } from '@gatehouse/standalone/mock-provider';
import { apply } from '../../operator/operator/support.ts';
import { Processes } from '../processes.ts';
import { describeCommit, describeMachine, writeSection } from '../report.ts';
import { type Row, renderTable } from '../table.ts';
import { usageOf } from '../usage.ts';
import { measureBudgets } from './budgets.ts';
import { editsOfConfig, editsOfGuardrail, editsOfPolicy, measureEdits } from './edits.ts';
import { measureKeys } from './keys.ts';
import { type Options, parseOptions, USAGE } from './options.ts';
import { editedConfig, guardedBy, limitedBy, populationOf } from './population.ts';
import { type Bench, bundlePrograms, startGateways, startOperator } from './programs.ts';
import { appliedRow, budgetRow, editRows, keyRows } from './rows.ts';
import { settle } from './settle.ts';
import { createAll, fleetOf, setStage } from './stage.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PAGE = join(ROOT, 'docs/performance.md');
/** Gateways keep their copies in memory, as pods do. */
const MEMORY = '/dev/shm';
/** Budgets that are used up, at moments that do not depend on each other. */
const BUDGETS = 50;

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (!options.ok) {
    console.error(`${options.error}\n\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  await using processes = new Processes();
  const directory = await mkdtemp(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'gatehouse-propagation-'));
  try {
    await Promise.race([run(options.value, { processes, directory }), interrupted()]);
  } finally {
    await processes[Symbol.asyncDispose](); // before what they write goes
    await rm(directory, { recursive: true, force: true });
  }
}

async function run(options: Options, place: Pick<Bench, 'processes' | 'directory'>): Promise<void> {
  const { edits, keys, gateways, objects } = options;
  const say = (text: string): void => void process.stderr.write(`${text}\n`);
  const bench: Bench = {
    ...place,
    say,
    profile: options.profile,
    programs: await bundlePrograms(place.directory),
  };
  // Of what was bundled: others may commit while this runs.
  const commit = await describeCommit(place.processes, ROOT, ['operator', 'gateway', 'crds']);
  const tell = async (rows: readonly Row[], part: { readonly name: string; readonly what: string }): Promise<void> => {
    const report = reportOf(rows, commit, part.what);
    console.log(`${report}\n`);
    if (options.write) await writeSection(PAGE, report, part.name);
  };
  if (edits > 0) {
    const what = `${edits} edits among ${objects} objects, ${gateways} gateways`;
    await tell(await runEdits(bench, options), { name: 'bench-propagation-edits', what });
  }
  if (keys > 0) {
    const result = await measureKeys(bench, keys);
    await tell(keyRows(result, keys), { name: 'bench-propagation-keys', what: `${keys} keys` });
  }
}

function reportOf(rows: readonly Row[], commit: string, what: string): string {
  return [describeMachine(), `* Software: Node ${process.version}`, commit, `* ${what}`, '', renderTable(rows)].join(
    '\n',
  );
}

async function runEdits(bench: Bench, { objects, gateways: count, edits }: Options): Promise<readonly Row[]> {
  await using stage = await setStage();
  await using mock = await createMockProvider();
  const { cluster, tenants } = stage;
  await createAll(cluster, populationOf(objects, stage));
  const [tenant = ''] = tenants;
  for (const object of [
    editedConfig(tenant, mock.url, 'before'),
    ...guardedBy(tenant, mock.url),
    ...limitedBy(tenant),
  ]) {
    await apply(cluster, object);
  }
  await apply(cluster, fleetOf(stage, count));
  bench.say(`${objects} objects created`);
  const operator = await startOperator(bench, stage);
  const gateways = await startGateways(bench, stage, count);
  bench.say(`${count} gateways are ready`);
  await settle(operator, bench.say);
  const running = { count: edits, operator, gateways };
  const measured = await measureEdits(bench, stage, { ...running, edited: editsOfConfig(tenant, mock.url) });
  const guarded = await measureEdits(bench, stage, { ...running, edited: editsOfGuardrail(tenant) });
  const limited = await measureEdits(bench, stage, { ...running, edited: editsOfPolicy(tenant) });
  const exhausted = await measureBudgets(bench, stage, { count: BUDGETS, gateways, namespace: tenant });
  const { rssMb: operatorMb } = await usageOf(operator.pid);
  const gatewayMb = Math.max(...(await Promise.all(gateways.map(({ pid }) => usageOf(pid)))).map(({ rssMb }) => rssMb));
  const own = await operator.metric('gatehouse_operator_propagation_seconds_sum');
  const times = await operator.metric('gatehouse_operator_propagation_seconds_count');
  bench.say(`the operator's own histogram: ${times} changes, ${((own / times) * 1_000).toFixed(0)} ms each`);
  await Promise.all([...gateways, operator].map((running) => running.stop()));
  const scene = { gateways: count, objects, operatorMb, gatewayMb };
  const applied = [appliedRow('Guardrail', guarded, scene), appliedRow('RateLimitPolicy', limited, scene)];
  return [...editRows(measured, scene), ...applied, budgetRow(exhausted)];
}

/** Rejects when the bench is interrupted, so that its children end with it. */
function interrupted(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => reject(new Error(signal)));
  });
}

await main();
