/** `npm run bench:logs`: how fast a large request log is written, asked and exported. docs/performance.md */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeMachine, writeSection } from '../report.ts';
import { measureQuestions } from './ask.ts';
import { measureExport } from './export.ts';
import type { GeneratedRows } from './generated.ts';
import { openStore, STORES, type StoreName } from './stores.ts';
import { measureWriting } from './write.ts';

const PAGE = fileURLToPath(new URL('../../../docs/performance.md', import.meta.url));
const MEASURES = ['questions', 'write', 'export'] as const;
const END = Date.UTC(2027, 0, 31);
const DAYS = 30;
const SECONDS = 10;
const USAGE = `npm run bench:logs -- [--measure ${MEASURES.join('|')}] [--store ${STORES.join('|')}] [--rows 2000000] [--rounds 3] [--only TEXT]
  [--url postgres://…] [--clickhouse-url http://…] [--keep] [--write]`;

const say = (text: string): void => void process.stderr.write(`${text}\n`);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      measure: { type: 'string', default: 'questions' },
      store: { type: 'string', default: 'postgres' },
      rows: { type: 'string', default: '2000000' },
      rounds: { type: 'string', default: '3' },
      /** Questions with this text in their names. */
      only: { type: 'string', default: '' },
      /** Of databases that have the rows already. */
      url: { type: 'string' },
      'clickhouse-url': { type: 'string' },
      /** Waits for a signal, so that others can ask the databases. */
      keep: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  });
  const [rows, rounds] = [Number(values.rows), Number(values.rounds)];
  const store = STORES.find((name) => name === values.store);
  const measure = MEASURES.find((name) => name === values.measure);
  const isUsable = [rows, rounds].every((number) => Number.isInteger(number) && number > 0);
  if (!isUsable || store === undefined || measure === undefined) throw new Error(USAGE);
  const text = [
    describeMachine(),
    measure === 'write'
      ? await measureWriting(store, SECONDS)
      : await measureRows(
          { measure, store, only: values.only, rounds, keep: values.keep },
          { place: { url: values.url, clickHouseUrl: values['clickhouse-url'] }, of: { rows, days: DAYS, end: END } },
        ),
  ].join('\n');
  console.log(text);
  if (values.write) await writeSection(PAGE, text, `bench-logs-${measure}-${store}`);
}

interface Wanted {
  readonly measure: 'questions' | 'export';
  readonly store: StoreName;
  readonly only: string;
  readonly rounds: number;
  readonly keep: boolean;
}

interface Rows {
  readonly place: { readonly url: string | undefined; readonly clickHouseUrl: string | undefined };
  readonly of: GeneratedRows;
}

async function measureRows({ measure, store: name, only, rounds, keep }: Wanted, { place, of }: Rows): Promise<string> {
  await using store = await openStore(name, place);
  await store.fill(of);
  say('The rows are there');
  if (keep) {
    say(`--url ${store.url} --clickhouse-url ${store.clickHouseUrl ?? ''}`);
    await new Promise((resolve) => process.once('SIGTERM', resolve));
    return '';
  }
  const about = `* ${of.rows} rows in ${DAYS} days, ${store.name} with its settings as they come`;
  const measured =
    measure === 'export' ? await measureExport(store, of) : await measureQuestions(store, { of, rounds, only });
  return `${about}\n\n${measured}`;
}

await main();
