/** `make bench`: measures the gateway beside others on this machine and prints one table. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bench } from './bench.ts';
import { measureCpu } from './cpu/index.ts';
import { describeGrowth, measureLadder } from './ladder/index.ts';
import { type Options, parseOptions, USAGE } from './options.ts';
import { Processes } from './processes.ts';
import { profileGatehouse } from './profile/index.ts';
import { watchBackground } from './quiet.ts';
import { describeRun, readSection, writeSection } from './report.ts';
import { measureRows, type RowName } from './rows/index.ts';
import { type Row, renderTable } from './table.ts';
import { findTools } from './tools.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = join(ROOT, 'docs/performance.md');
/** The section of the page with the ladder. */
const LADDER = 'bench-ladder';
/** What features cost has a section of its own in the page, and is measured with `--only`. */
const FEATURES = 'bench-features';
const OF_FEATURES: ReadonlySet<RowName> = new Set<RowName>([
  ...(['limits', 'guardrails', 'guarded-streams', 'adapted-streams', 'tokens', 'semantic', 'records'] as const),
]);

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (!options.ok) return refuse(`${options.error}\n\n${USAGE}`);
  const tools = findTools(process.env['PATH'] ?? '');
  if (!tools.ok) return refuse(tools.error);

  await using processes = new Processes();
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'));
  const say = (text: string): void => void process.stderr.write(`${text}\n`);
  try {
    const background = await watchBackground();
    const bench = { ...options.value, tools: tools.value, processes, directory, background, say };
    await Promise.race([run(bench, options.value), interrupted()]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function run(bench: Bench, { only, write, profile, ladder, cpu }: Options): Promise<void> {
  if (profile) {
    console.log(await profileGatehouse(bench, only[0]));
    return;
  }
  if (cpu) {
    console.log(`${await describeRun(bench, ROOT)}\n\n${await measureCpu(bench)}`);
    return;
  }
  if (ladder) {
    const earlier = await readSection(PAGE, LADDER);
    const table = await measureLadder(bench);
    const report = `${await describeRun(bench, ROOT)}\n\n${table}`;
    console.log(`${report}\n\n${describeGrowth(table, earlier)}`);
    if (write) await writeSection(PAGE, report, LADDER);
    return;
  }
  const rows: Row[] = [];
  for (const name of only) {
    bench.say(`== ${name}`);
    rows.push(...(await measureRows(bench, name)));
  }
  const report = `${await describeRun(bench, ROOT)}\n\n${renderTable(rows)}`;
  console.log(report);
  if (write) await writeSection(PAGE, report, only.every((name) => OF_FEATURES.has(name)) ? FEATURES : undefined);
}

/** Rejects when the bench is interrupted, so that its children end with it. */
function interrupted(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => reject(new Error(signal)));
  });
}

function refuse(text: string): void {
  console.error(text);
  process.exitCode = 2;
}

await main();
