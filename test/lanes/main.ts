/**
 * The test command: runs every lane whose tools the machine has, names the others, and ends with one line
 * `N passed, N failed`. With CI=true a missing tool is a failure. Lanes may be named: `make test LANES="unit docs"`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LANES, type Lane, type Tool } from './lanes.ts';

interface Outcome {
  readonly passed: number;
  readonly failed: number;
}

const strict = process.env['CI'] === 'true';

const isThere = ({ probe: [command, ...args] }: Tool): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;

function execute(command: readonly string[]): Promise<number> {
  const [program = '', ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'inherit' });
    child.on('error', () => resolve(127));
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

async function runVitest(project: string): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-lane-'));
  const report = join(folder, 'report.json');
  try {
    const code = await execute([
      ...['vitest', 'run', '--project', project],
      ...['--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
    ]);
    const { numPassedTests: passed, numFailedTests: failed } = JSON.parse(await readFile(report, 'utf8'));
    // Files that do not load and unhandled errors fail a run without failing a test.
    return { passed, failed: code !== 0 && failed === 0 ? 1 : failed };
  } catch {
    return { passed: 0, failed: 1 };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runLane(lane: Lane): Promise<Outcome> {
  if (lane.run.kind === 'vitest') return runVitest(lane.run.project);
  const code = await execute(lane.run.command);
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

async function main(names: readonly string[]): Promise<number> {
  const unknown = names.filter((name) => !LANES.some((lane) => lane.name === name));
  if (unknown.length > 0) {
    console.error(`Unknown lane: ${unknown.join(', ')}. Lanes: ${LANES.map(({ name }) => name).join(', ')}`);
    return 2;
  }
  const chosen = names.length === 0 ? LANES : LANES.filter(({ name }) => names.includes(name));
  const total = { passed: 0, failed: 0 };
  const summary: string[] = [];
  for (const lane of chosen) {
    const missing = lane.tools.filter((tool) => !isThere(tool));
    if (missing.length > 0) {
      const why = missing.map(({ name, install }) => `${name} is missing (${install})`).join(', ');
      summary.push(`${strict ? 'FAILED ' : 'NOT RUN'} ${lane.name}: ${why}; it proves: ${lane.proves}`);
      if (strict) total.failed += 1;
      continue;
    }
    console.log(`\n=== ${lane.name}: ${lane.proves}`);
    const { passed, failed } = await runLane(lane);
    total.passed += passed;
    total.failed += failed;
    summary.push(`${failed === 0 ? 'ok     ' : 'FAILED '} ${lane.name}: ${passed} passed, ${failed} failed`);
  }
  console.log(`\n${summary.join('\n')}`);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
