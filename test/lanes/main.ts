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
  readonly output: string;
}

interface Total {
  passed: number;
  failed: number;
}

/** Of the lanes that do not need the machine for themselves: they end before those begin. */
const AT_ONCE = 2;

const strict = process.env['CI'] === 'true';

const isThere = ({ probe: [command, ...args] }: Tool): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;

/** Runs a command to its end; gives its exit code and everything it printed. */
function execute(command: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  const [program = '', ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.on('error', (error) => resolve({ code: 127, output: output + error.message }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

async function runVitest(project: string): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-lane-'));
  const report = join(folder, 'report.json');
  const { code, output } = await execute([
    ...['vitest', 'run', '--project', project],
    ...['--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
  ]);
  try {
    const { numPassedTests: passed, numFailedTests: failed } = JSON.parse(await readFile(report, 'utf8'));
    // Files that do not load and unhandled errors fail a run without failing a test.
    return { passed, failed: code !== 0 && failed === 0 ? 1 : failed, output };
  } catch {
    return { passed: 0, failed: 1, output };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runLane(lane: Lane): Promise<Outcome> {
  if (lane.run.kind === 'vitest') return runVitest(lane.run.project);
  const { code, output } = await execute(lane.run.command);
  return code === 0 ? { passed: 1, failed: 0, output } : { passed: 0, failed: 1, output };
}

/** Why a lane cannot run here; undefined when it can. */
function missingTools({ tools }: Lane): string | undefined {
  const missing = tools.filter((tool) => !isThere(tool));
  if (missing.length === 0) return undefined;
  return missing.map(({ name, install }) => `${name} is missing (${install})`).join(', ');
}

/** Runs the lane, prints what it printed, and gives its line of the summary. */
async function report(lane: Lane, total: Total): Promise<string> {
  const missing = missingTools(lane);
  if (missing !== undefined) {
    if (strict) total.failed += 1;
    return `${strict ? 'FAILED ' : 'NOT RUN'} ${lane.name}: ${missing}; it proves: ${lane.proves}`;
  }
  console.log(`--- ${lane.name} begins`);
  const beganMs = performance.now();
  const { passed, failed, output } = await runLane(lane);
  total.passed += passed;
  total.failed += failed;
  const seconds = Math.round((performance.now() - beganMs) / 1_000);
  const line = `${failed === 0 ? 'ok     ' : 'FAILED '} ${lane.name}: ${passed} passed, ${failed} failed, ${seconds} s`;
  console.log(`\n=== ${lane.name}: ${lane.proves}\n${output.trimEnd()}\n--- ${line}`);
  return line;
}

/** Runs lanes in their order, so many at once; gives their lines in that order. */
async function runAll(lanes: readonly Lane[], atOnce: number, total: Total): Promise<string[]> {
  const lines: string[] = [];
  const queue = [...lanes.entries()];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [place, lane] = next;
      lines[place] = await report(lane, total);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return lines;
}

async function main(names: readonly string[]): Promise<number> {
  const unknown = names.filter((name) => !LANES.some((lane) => lane.name === name));
  if (unknown.length > 0) {
    console.error(`Unknown lane: ${unknown.join(', ')}. Lanes: ${LANES.map(({ name }) => name).join(', ')}`);
    return 2;
  }
  const chosen = names.length === 0 ? LANES : LANES.filter(({ name }) => names.includes(name));
  const total: Total = { passed: 0, failed: 0 };
  const summary = [
    ...(await runAll(
      chosen.filter(({ alone }) => !alone),
      AT_ONCE,
      total,
    )),
    ...(await runAll(
      chosen.filter(({ alone }) => alone),
      1,
      total,
    )),
  ];
  console.log(`\n${summary.join('\n')}`);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
