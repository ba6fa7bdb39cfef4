/** `npm run bench:logs`: how long questions to a large request log take in PostgreSQL. docs/performance.md */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startPostgres, unwrap } from '@gatehouse/test/kit';
import { createDatabase, postgresDialect } from '../../../operator/src/management/index.ts';
import { createTestManagement, type TestManagement } from '../../../operator/src/management/testing.ts';
import { describeMachine, writeSection } from '../report.ts';
import { statementsFor } from './generate.ts';
import { type Question, questionsOf } from './questions.ts';

const PAGE = fileURLToPath(new URL('../../../docs/performance.md', import.meta.url));
const SECTION = 'bench-logs';
const END = Date.UTC(2027, 0, 31);
const DAYS = 30;
const USAGE = 'npm run bench:logs -- [--rows 2000000] [--rounds 3] [--url postgres://…] [--write]';

interface Timed {
  readonly what: string;
  readonly ms: readonly number[];
}

const say = (text: string): void => void process.stderr.write(`${text}\n`);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rows: { type: 'string', default: '2000000' },
      rounds: { type: 'string', default: '3' },
      /** Of a database that has the rows already. */
      url: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  });
  const [rows, rounds] = [Number(values.rows), Number(values.rounds)];
  if (![rows, rounds].every((number) => Number.isInteger(number) && number > 0)) throw new Error(USAGE);
  await using server = values.url === undefined ? await startPostgres() : undefined;
  const url = values.url ?? (await server?.database()) ?? '';
  const database = createDatabase({ dialect: unwrap(postgresDialect({ url })), onAway: (error) => say(String(error)) });
  const management = await createTestManagement(['logs', 'analytics'], {
    database,
    now: () => END,
    rates: { perSecond: 1e6, burst: 1e6 },
    callers: { owner: OWNER },
  });
  try {
    await ask(management, '/logs'); // makes the tables
    const name = new URL(url).pathname.slice(1);
    const statements = statementsFor({ rows, days: DAYS, end: END });
    for (const statement of server === undefined ? [] : statements) await server?.sql(statement, name);
    say('The rows are there');
    const report = await measure(management, questionsOf(END, DAYS), rounds);
    const text = [
      describeMachine(),
      `* ${rows} rows in ${DAYS} days, PostgreSQL as it is installed`,
      '',
      table(report),
    ].join('\n');
    console.log(text);
    if (values.write) await writeSection(PAGE, text, SECTION);
  } finally {
    await management.close();
    await database.close();
  }
}

const OWNER = {
  ...{ keyId: 'owner', keyName: 'owner', type: 'organisation-service' as const, workspace: undefined, user: undefined },
  scopes: new Set(['logs.view', 'logs.list', 'analytics.view']),
  expiresAtMs: Number.POSITIVE_INFINITY,
};

async function ask(management: TestManagement, path: string): Promise<void> {
  const { status, body } = await management.call('owner', 'GET', encodeURI(path));
  if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
}

async function measure(management: TestManagement, questions: readonly Question[], rounds: number): Promise<Timed[]> {
  const timed: Timed[] = [];
  for (const { what, path } of questions) {
    const ms: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const started = performance.now();
      await ask(management, path);
      ms.push(performance.now() - started);
    }
    timed.push({ what, ms });
    say(`${what}: ${ms.map(Math.round).join(', ')} ms`);
  }
  return timed;
}

function table(timed: readonly Timed[]): string {
  const rows = timed.map(({ what, ms: [first = 0, ...others] }) => {
    const best = Math.min(...(others.length === 0 ? [first] : others));
    return `| ${what} | ${Math.round(first)} | ${Math.round(best)} |`;
  });
  return ['| question | first time, ms | again, ms |', '| --- | --- | --- |', ...rows].join('\n');
}

await main();
