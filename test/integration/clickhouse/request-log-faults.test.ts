/** ClickHouse that is full, read-only, slow, or has the schema of the version before: requests go on, and each row is written once or counted as dropped. */
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { clickHouseStatements } from '@gatehouse/crds/logs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ClickHouseServer, startClickHouse } from '../../clickhouse/index.ts';
import { startWorld, type World } from '../../kit/gateway.ts';
import { waitFor } from '../../kit/wait-for.ts';

const MIB = 1024 * 1024;

/** What becomes of inserts: an answer of the server in place of its own, or none. */
type Fault = { readonly status: number; readonly text: string } | 'silent';

let server: ClickHouseServer;
let front: Server;
let url: string;
let world: World;
let fault: Fault | undefined;
const held: ServerResponse[] = [];

beforeAll(async () => {
  server = await startClickHouse();
  front = createServer((asked, answer) => void pass(asked, answer));
  await new Promise<void>((resolve) => {
    front.listen(0, '127.0.0.1', resolve);
  });
  const address = new URL(server.url);
  address.port = String((front.address() as AddressInfo).port); // it listens on TCP
  url = address.href;
});
afterAll(async () => {
  front?.closeAllConnections();
  front?.close();
  await server?.[Symbol.asyncDispose]();
});

beforeEach(async () => {
  fault = undefined;
  world = await startWorld({
    env: { GATEHOUSE_LOGS_CLICKHOUSE_URL: url, GATEHOUSE_LOGS_QUEUE_BYTES: String(MIB) },
  });
});
afterEach(async () => {
  fault = undefined;
  for (const answer of held.splice(0)) answer.destroy();
  await world?.[Symbol.asyncDispose]();
  await server.rows('drop database if exists gateway_logs');
});

async function pass(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
  const body = await buffer(asked);
  const isInsert = /insert\W+into/i.test(decodeURIComponent(asked.url ?? ''));
  const given = isInsert ? fault : undefined;
  if (given === 'silent') {
    held.push(answer);
    return;
  }
  if (given !== undefined) {
    answer.writeHead(given.status, { 'content-type': 'text/plain' }).end(given.text);
    return;
  }
  const { hostname, port } = new URL(server.url);
  const headers = { ...asked.headers, 'content-length': String(body.length) };
  delete headers['transfer-encoding'];
  const options = { hostname, port, path: asked.url, method: asked.method, headers };
  const sent = httpRequest(options, (said) => {
    answer.writeHead(said.statusCode ?? 500, said.headers);
    said.pipe(answer);
  });
  sent.on('error', () => answer.destroy());
  sent.end(body);
}

const body = { model: 'mock-small', messages: [{ role: 'user', content: 'hello' }] };

/** Every one of them has to be answered. */
async function send(count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const { status } = await world.send('/v1/chat/completions', { headers: { 'x-gw-provider': '@openai' }, body });
    expect(status).toBe(200);
  }
}

const written = () => world.metric('gatehouse_request_log_written_total');
const dropped = () => world.metric('gatehouse_request_log_dropped_total');
const waiting = () => world.metric('gatehouse_request_log_waiting_bytes');

const untilWritten = (rows: number) => waitFor(async () => (await written()) === rows, { what: `${rows} rows` });

async function expectKept(rows: number): Promise<void> {
  const [kept] = await server.rows(`select (select count() from gateway_logs.logs) as rows,
    (select sum(requests) from gateway_logs.log_minutes) as requests`);
  expect({ rows: Number(kept?.['rows']), requests: Number(kept?.['requests']) }).toEqual({ rows, requests: rows });
  expect(await dropped()).toBe(0);
}

test.for<{ readonly rule: string; readonly fault: Fault }>([
  {
    rule: 'that has no room left',
    fault: {
      status: 500,
      text: 'Code: 243. DB::Exception: Cannot reserve 1.00 MiB, not enough space. (NOT_ENOUGH_SPACE)',
    },
  },
  {
    rule: 'that only reads',
    fault: { status: 500, text: 'Code: 242. DB::Exception: Table is in readonly mode. (TABLE_IS_READ_ONLY)' },
  },
  {
    rule: 'that merges too many parts',
    fault: { status: 500, text: 'Code: 252. DB::Exception: Too many parts (600). (TOO_MANY_PARTS)' },
  },
  { rule: 'that does not answer', fault: 'silent' },
])('a server $rule for a while loses nothing, and no request waits for it', async ({ fault: given }) => {
  await send(1);
  await untilWritten(1);
  fault = given;
  await send(20); // they would never be answered if one of them waited
  await waitFor(async () => (await waiting()) > 0, { what: 'rows that wait' });
  expect(await written()).toBe(1);
  fault = undefined;
  for (const answer of held.splice(0)) answer.destroy();
  await untilWritten(21);
  await expectKept(21);
});

test('a database of the version before gets what it lacks, and keeps its rows', async () => {
  await world[Symbol.asyncDispose]();
  for (const statement of clickHouseStatements()) await server.rows(statement);
  for (const view of ['sum_fallback_minutes', 'sum_fallback_hours'])
    await server.rows(`drop view gateway_logs.${view}`);
  for (const table of ['fallback_minutes', 'fallback_hours']) await server.rows(`drop table gateway_logs.${table}`);
  const parts = ['request_parsing_ms', 'pre_processing_ms', 'cache_ms', 'response_parsing_ms'];
  for (const column of ['fell_back', 'runtime', 'runtime_version', 'sdk_version', ...parts])
    await server.rows(`alter table gateway_logs.logs drop column ${column}`);
  world = await startWorld({ env: { GATEHOUSE_LOGS_CLICKHOUSE_URL: url } });
  await send(3);
  await untilWritten(3);
  await expectKept(3);
  expect(await server.rows('select distinct fell_back from gateway_logs.logs')).toEqual([{ fell_back: false }]);
});
