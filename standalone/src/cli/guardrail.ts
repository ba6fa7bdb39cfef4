import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { GuardrailTestFile } from '@gatehouse/crds/guardrails';
import {
  BadFile,
  type CaseOutcome,
  type Hooks,
  inlineHooks,
  readCases,
  readHooks,
  runCases,
  summaryOf,
  tableOf,
  toJson,
  withoutCalls,
} from '../guardrail-test/index.ts';
import { problemLines } from '../resource-folder/index.ts';
import { toPrintable } from '../terminal/index.ts';
import type { Command, Invocation } from './command.ts';
import { checkReadable } from './preflight.ts';
import { CommandError, type Shell, UsageError } from './shell.ts';

/** Larger files are refused: a test is read as a whole. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Runs guardrails on files of texts and compares the verdicts with those that are expected. */
export const guardrail: Command = {
  name: 'guardrail',
  summary: 'tests a guardrail on a file of texts, offline',
  operands: { value: 'test FILE...', actions: ['test'] },
  options: {
    guardrail: {
      value: 'FILE',
      summary: 'a Guardrail, or hooks as configs have them; absent: the member guardrail of the cases says it',
    },
    name: { value: 'NAME', summary: 'the Guardrail of the file that is meant; absent: all of them' },
    'skip-calls': { summary: 'leaves checks out that call a service; without it they are an error' },
    output: { value: 'table|json', short: 'o', summary: 'output format', default: 'table', choices: ['table', 'json'] },
  },
  notes: [
    'FILE is YAML or JSON with a list of cases (text, phase, expected, expectedText, name, model, metadata, request), or .jsonl with',
    'one on each line. phase is input or output, expected is pass or fail. Nothing is called: a test needs no network.',
    'Exit status: 0 if all is as expected, 1 if not.',
  ],
  examples: [
    {
      purpose: 'cases that name their guardrail',
      line: 'gatehouse guardrail test docs/guide/guardrail-tests/cases.yaml',
    },
    {
      purpose: 'a guardrail on lines of JSON, for other programs',
      line: 'gatehouse guardrail test docs/guide/guardrail-tests/prompts.jsonl --guardrail docs/guide/guardrail-tests/guardrail.yaml -o json',
    },
  ],
  async run({ shell, operands, options }) {
    const files = operands.slice(1);
    if (files.length === 0) throw new UsageError('FILE is missing');
    await checkReadable(files);
    try {
      const reports: Report[] = [];
      for (const file of files) reports.push(await testFile(file, options, shell));
      print(reports, options, shell);
      return reports.some(({ outcomes }) => outcomes.some(({ differs }) => differs)) ? 1 : 0;
    } catch (error) {
      if (!(error instanceof BadFile)) throw error;
      for (const line of problemLines(error.problems)) shell.err(line);
      return 1;
    }
  },
};

interface Report {
  readonly file: string;
  readonly outcomes: readonly CaseOutcome[];
}

type Options = Invocation['options'];

async function testFile(file: string, options: Options, shell: Shell): Promise<Report> {
  const read = readCases(file, await textOf(file));
  const { hooks, calling } = withoutCalls(await hooksFor(read, file, options));
  if (calling.length > 0) {
    const ids = calling.join(', ');
    if (options['skip-calls'] !== 'true') {
      throw new CommandError(`${ids} call a service, which a test does not; --skip-calls leaves them out`);
    }
    shell.err(toPrintable(`${file}: not run, since they call a service: ${ids}`));
  }
  return { file, outcomes: await runCases(read.cases, hooks) };
}

async function hooksFor({ guardrail: own }: GuardrailTestFile, file: string, options: Options): Promise<Hooks> {
  const { guardrail: given, name } = options;
  if (given === undefined && own === undefined) {
    throw new CommandError(`${file} has no member guardrail: name the file of the guardrail with --guardrail`);
  }
  if (given === undefined && typeof own !== 'string') return inlineHooks(own, file);
  const path = given ?? resolve(dirname(file), String(own));
  await checkReadable([path]);
  return readHooks(path, await textOf(path), name);
}

async function textOf(file: string): Promise<string> {
  const found = await stat(file);
  if (!found.isFile()) throw new CommandError(`${file} is not a file`);
  if (found.size > MAX_FILE_BYTES) throw new CommandError(`${file} has more than ${MAX_FILE_BYTES} bytes`);
  return readFile(file, 'utf8');
}

function print(reports: readonly Report[], { output }: Options, shell: Shell): void {
  if (output === 'json') {
    const shown = reports.map(({ file, outcomes }) => ({ file, cases: outcomes.map(toJson) }));
    shell.out(JSON.stringify(shown, null, 2));
    return;
  }
  for (const { file, outcomes } of reports) {
    if (reports.length > 1) shell.out(toPrintable(`${file}:`));
    for (const line of tableOf(outcomes)) shell.out(line);
    shell.out(summaryOf(outcomes));
  }
}
