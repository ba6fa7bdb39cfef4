/**
 * The test command: runs every lane whose tools the machine has, names the others, and ends with the failed tests of
 * each failed lane and one line `N passed, N failed`. With CI=true a missing tool is a failure. Lanes may be named:
 * `make test LANES="unit docs"`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PROGRAMS_FOLDER } from '../kit/programs.ts';
import { commandFailure, type Failure, formatFailures, readFailures } from './failures.ts';
import { LANES, type Lane, type Tool } from './lanes.ts';
import { bundlePrograms } from './programs.ts';

interface LaneResult {
  readonly passed: number;
  readonly failed: number;
  readonly failures: readonly Failure[];
  readonly output: string;
}

interface Total {
  passed: number;
  failed: number;
}

interface Summary {
  readonly line: string;
  readonly failures: readonly Failure[];
}

/** Of the lanes that do not need the machine for themselves: they end before those begin. */
const AT_ONCE = 2;

/** Of the bundled programs. */
const PROGRAMS = resolve('.cache/programs');

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

async function runVitest(project: string): Promise<LaneResult> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-lane-'));
  const report = join(folder, 'report.json');
  const { code, output } = await execute([
    ...['vitest', 'run', '--project', project],
    ...['--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
  ]);
  try {
    const results = JSON.parse(await readFile(report, 'utf8'));
    const { numPassedTests: passed, numFailedTests: failed } = results;
    if (code === 0) return { passed, failed, failures: [], output };
    const failures = readFailures(results, process.cwd());
    // Files that do not load and unhandled errors fail a run without failing a test.
    return {
      passed,
      failed: Math.max(failed, 1),
      failures: failures.some(({ message }) => message !== '') ? failures : [...failures, commandFailure(output)],
      output,
    };
  } catch {
    return { passed: 0, failed: 1, failures: [commandFailure(output)], output };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runLane(lane: Lane): Promise<LaneResult> {
  if (lane.run.kind === 'vitest') return runVitest(lane.run.project);
  const { code, output } = await execute(lane.run.command);
  if (code === 0) return { passed: 1, failed: 0, failures: [], output };
  return { passed: 0, failed: 1, failures: [commandFailure(output)], output };
}

/** Why a lane cannot run here; undefined when it can. */
function missingTools({ tools }: Lane): string | undefined {
  const missing = tools.filter((tool) => !isThere(tool));
  if (missing.length === 0) return undefined;
  return missing.map(({ name, install }) => `${name} is missing (${install})`).join(', ');
}

/** Runs the lane, prints its output, and returns its part of the summary. */
async function report(lane: Lane, total: Total): Promise<Summary> {
  const missing = missingTools(lane);
  if (missing !== undefined) {
    if (strict) total.failed += 1;
    const line = `${strict ? 'FAILED ' : 'NOT RUN'} ${lane.name}: ${missing}; it proves: ${lane.proves}`;
    return { line, failures: [] };
  }
  console.log(`--- ${lane.name} begins`);
  const beganMs = performance.now();
  const { passed, failed, failures, output } = await runLane(lane);
  total.passed += passed;
  total.failed += failed;
  const seconds = Math.round((performance.now() - beganMs) / 1_000);
  const line = `${failed === 0 ? 'ok     ' : 'FAILED '} ${lane.name}: ${passed} passed, ${failed} failed, ${seconds} s`;
  console.log(`\n=== ${lane.name}: ${lane.proves}\n${output.trimEnd()}\n--- ${line}`);
  return { line, failures };
}

/** Runs lanes in their order, `atOnce` at the same time; returns their summaries in that order. */
async function runAll(lanes: readonly Lane[], atOnce: number, total: Total): Promise<Summary[]> {
  const summaries: Summary[] = [];
  const queue = [...lanes.entries()];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, lane] = next;
      summaries[index] = await report(lane, total);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return summaries;
}

/** Has the tests start bundled programs; from their sources, which takes longer, when they cannot be bundled, which is a failure. */
async function prepare(total: Total): Promise<Summary[]> {
  try {
    await bundlePrograms(PROGRAMS);
    process.env[PROGRAMS_FOLDER] = PROGRAMS;
    return [];
  } catch (error) {
    total.failed += 1;
    return [{ line: 'FAILED  the programs cannot be bundled', failures: [commandFailure(String(error))] }];
  }
}

async function main(names: readonly string[]): Promise<number> {
  const unknown = names.filter((name) => !LANES.some((lane) => lane.name === name));
  if (unknown.length > 0) {
    console.error(`Unknown lane: ${unknown.join(', ')}. Lanes: ${LANES.map(({ name }) => name).join(', ')}`);
    return 2;
  }
  const chosen = names.length === 0 ? LANES : LANES.filter(({ name }) => names.includes(name));
  const total: Total = { passed: 0, failed: 0 };
  const summaries = [
    ...(chosen.some(({ programs }) => programs) ? await prepare(total) : []),
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
  console.log(`\n${summaries.map(({ line }) => line).join('\n')}`);
  // Last, because often only the end of the output is kept.
  for (const { line, failures } of summaries) {
    if (failures.length > 0) console.log(`\n${[line, ...formatFailures(failures)].join('\n')}`);
  }
  console.log(`${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
