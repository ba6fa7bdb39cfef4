/** `gatehouse re-rate`: docs/behaviour/request-logs.md#prices-in-hindsight */
import { reRateRows } from '@gatehouse/gateway';
import { toPrintable } from '../../terminal/index.ts';
import type { Command, Invocation } from '../command.ts';
import { DATA_OPTION, DATABASE_NOTE, withLogDatabase } from '../log-database.ts';
import { snapshotOf } from '../offline-snapshot.ts';
import { CommandError, UsageError } from '../shell.ts';
import { timeOf } from '../times.ts';
import { mayChangePrices } from './price-problems.ts';
import { createTotals, tableOf, toJson } from './totals.ts';

export const reRate: Command = {
  name: 're-rate',
  summary: 'computes the cost of logged requests again, with the prices of a folder',
  options: {
    resources: {
      value: 'DIR',
      summary: 'the folder of resources with ModelPricings and accounts',
      completes: 'folders',
    },
    since: { value: 'TIME', summary: 'rows from this time on, or this long ago (30m, 2h, 7d)' },
    until: { value: 'TIME', summary: 'rows before this time; absent: up to now' },
    model: { value: 'PROVIDER__MODEL,...', summary: 'rows of these models; absent: of all' },
    'dry-run': { summary: 'writes nothing: prints what would change' },
    data: DATA_OPTION,
    output: { value: 'table|json', short: 'o', summary: 'output format', default: 'table', choices: ['table', 'json'] },
  },
  notes: [
    DATABASE_NOTE,
    'Prices are those of the ModelPricings and Integrations of the folder, and of the bundled catalogue. Secrets may be missing there, and problems of what prices do not depend on do not matter.',
    'The first cost of a row stays in decision.re_rated. Budgets stay as they are.',
    'LEFT are rows that do not say all that their price depends on, and those of accounts that the folder does not have.',
    'It may be stopped and started again: what was done is not done twice.',
  ],
  examples: [
    { purpose: 'what new prices would change', line: 'gatehouse re-rate --since 7d --resources examples --dry-run' },
    {
      purpose: 'a model whose price was wrong',
      line: 'gatehouse re-rate --since 30d --model openai__gpt-4o-mini --resources examples',
    },
  ],
  async run(invocation: Invocation) {
    const { shell, options } = invocation;
    const { from, to } = timesOf(invocation, Date.now());
    const models = modelsOf(options['model']);
    const { resources } = options;
    if (resources === undefined) throw new UsageError('--resources is missing: it has the prices');
    const snapshot = await snapshotOf([resources], shell, mayChangePrices);
    const totals = createTotals();
    const isDry = options['dry-run'] === 'true';
    let reached: number | undefined;
    let isStopped = false;
    const forget = shell.onStop(() => {
      isStopped = true;
    });
    try {
      await withLogDatabase(invocation, (database) =>
        reRateRows({
          ...{ database, snapshot, from, to, models, isDry, now: Date.now, isStopped: () => isStopped },
          onBatch: (batch) => {
            totals.add(batch.rows);
            reached = batch.reached;
          },
        }),
      ).catch((error: unknown) => {
        throw error instanceof CommandError ? error : new CommandError(`${textOf(error)}${doneText(reached, isDry)}`);
      });
    } finally {
      forget();
    }
    if (options['output'] === 'json') {
      shell.out(
        JSON.stringify({ dry_run: isDry, models: totals.all().map(toJson), all: toJson(totals.sum()) }, null, 2),
      );
    } else for (const line of tableOf(totals)) shell.out(toPrintable(line));
    if (!isStopped) return 0;
    shell.err(`stopped${doneText(reached, isDry)}`);
    return 1;
  },
};

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const doneText = (reached: number | undefined, isDry: boolean): string =>
  reached === undefined || isDry ? '' : `; rows before ${new Date(reached).toISOString()} are done`;

function timesOf({ options }: Invocation, nowMs: number) {
  const from = timeOf('since', options['since'], nowMs);
  if (from === undefined) throw new UsageError('--since is missing');
  const to = timeOf('until', options['until'], nowMs) ?? nowMs;
  if (from >= to) throw new UsageError('--since is not before --until');
  return { from, to };
}

const MAX_MODELS = 100;

function modelsOf(text: string | undefined) {
  if (text === undefined) return undefined;
  const names = text.split(',').map((name) => name.trim());
  if (names.length > MAX_MODELS) throw new UsageError(`--model takes at most ${MAX_MODELS} names`);
  return names.map((name) => {
    const [, provider, model] = /^(.+?)__(.+)$/.exec(name) ?? [];
    if (provider === undefined || model === undefined)
      throw new UsageError(`--model takes names like openai__gpt-4o, not ${name}`);
    return { provider, model };
  });
}
