import type { Bench } from '../bench.ts';
import { API_KEYS, type Asked, CONFIGS, configName, peersOf, startManagement } from '../peers/index.ts';
import { pairedRatio } from '../rounds.ts';
import type { Row } from '../table.ts';
import { closedLoopRounds, closedLoopRow, ratesOf } from './measure.ts';

const CONNECTIONS = 16;
const PAGE = 100;

interface Call {
  readonly what: string;
  readonly asked: Asked;
  readonly body: string;
}

const ONE = `/v1/configs/${configName('{key}')}`;

/** `{key}` is another object, `{number}` another content with each request: every `PUT` is a write of a file. */
const CALLS: readonly Call[] = [
  {
    what: `management: list ${PAGE} of ${API_KEYS.toLocaleString('en-US')} API keys`,
    asked: { method: 'GET', path: `/v1/api-keys?page_size=${PAGE}` },
    body: '',
  },
  { what: 'management: get a config', asked: { method: 'GET', path: ONE, keys: CONFIGS }, body: '' },
  {
    what: 'management: apply a config',
    asked: { method: 'PUT', path: ONE, keys: CONFIGS },
    body: JSON.stringify({ name: 'Config {number}' }),
  },
];

/** Requests of the management API over a folder, beside a server that gives the same answers and does nothing else. */
export async function management(bench: Bench): Promise<readonly Row[]> {
  const running = await startManagement(bench);
  const rows: Row[] = [];
  for (const { what, asked, body } of CALLS) {
    const { plain, gatehouse } = await peersOf(bench, running, { asked, body });
    const rounds = await closedLoopRounds(bench, [plain, gatehouse], { body, connections: CONNECTIONS });
    await plain.stop();
    const percent = 100 * pairedRatio(ratesOf(rounds.get(gatehouse)), ratesOf(rounds.get(plain)));
    const row = closedLoopRow(what, gatehouse, rounds.get(gatehouse) ?? []);
    const { note = `${percent.toPrecision(3)} % of plain fastify` } = row;
    rows.push(closedLoopRow(what, plain, rounds.get(plain) ?? []), { ...row, note });
  }
  await running.stop();
  return rows;
}
