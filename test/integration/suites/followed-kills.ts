/** Followed batches where the gateway is killed: every row is charged once. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createMemoryBudgetStore, type SyncRequest } from '@gatehouse/gateway';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { send } from '../../kit/http.ts';
import { KEY, key, provider, snapshot, workspace } from '../../kit/snapshot.ts';
import { waitFor } from '../../kit/wait-for.ts';
import type { StartedWith } from './followed-process.ts';

const PROCESS = fileURLToPath(new URL('./followed-process.ts', import.meta.url));
const ROWS = 200;
const TOKENS = 5;
const BUDGET = { name: 'tokens', type: 'tokens', limit: 1_000_000 } as const;

const row = (i: number): string =>
  `${JSON.stringify({
    ...{ id: `row-${i}`, custom_id: `c-${i}`, error: null },
    response: {
      ...{ status_code: 200, request_id: `r-${i}` },
      body: { model: 'gpt-4o', usage: { prompt_tokens: TOKENS, completion_tokens: 0, total_tokens: TOKENS } },
    },
  })}\n`;
const OUTPUT = Array.from({ length: ROWS }, (_, i) => row(i)).join('');

/** The tests decide how much of the output a call gets, and when the counters of budgets answer. */
interface Stage {
  /** A provider, and the counters. */
  readonly server: Server;
  readonly url: string;
  readonly reads: ServerResponse[];
  isWhole: boolean;
  /** Nobody hears whether a charge was taken. */
  isSilent: boolean;
  /** Syncs with a charge. */
  charges: number;
  total: number;
}

async function openStage(): Promise<Stage> {
  const store = createMemoryBudgetStore({
    onTotal: ({ id, used }) => {
      if (id.includes(BUDGET.name)) stage.total = used;
    },
  });
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://stage');
    if (pathname === '/budgets') {
      void counters(request, response);
      return;
    }
    if (pathname.endsWith('/content')) {
      stage.reads.push(response);
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      response.write(OUTPUT.slice(0, stage.isWhole ? undefined : OUTPUT.length / 2));
      if (stage.isWhole) response.end();
      return;
    }
    const status = request.method === 'POST' ? 'validating' : 'completed';
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: 'batch_1', object: 'batch', status, output_file_id: 'file-output' }));
  });
  const counters = async (request: AsyncIterable<Buffer>, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const requests: readonly SyncRequest[] = JSON.parse(Buffer.concat(parts).toString());
    const replies = await store.sync(requests);
    const isCharge = requests.some(({ spent }) => spent > 0);
    stage.charges += isCharge ? 1 : 0;
    if (!isCharge || !stage.isSilent) response.end(JSON.stringify(replies));
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stage: Stage = { server, url, reads: [], isWhole: true, isSilent: false, charges: 0, total: 0 };
  return stage;
}

/** `prepare`: the variables of a store that outlives the process. */
export function describeFollowedKills(
  prepare: () => Promise<AsyncDisposable & { readonly env: Readonly<Record<string, string>> }>,
): void {
  let stage: Stage;
  let store: Awaited<ReturnType<typeof prepare>>;
  const children: ChildProcess[] = [];
  beforeEach(async () => {
    stage = await openStage();
    store = await prepare();
  });
  afterEach(async () => {
    await Promise.all(children.splice(0).map(kill));
    stage.server.closeAllConnections();
    stage.server.close();
    await store[Symbol.asyncDispose]();
  });

  const kill = async (child: ChildProcess): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  const start = async () => {
    const entries = [
      ...[workspace(), key({ usageLimits: [BUDGET] })],
      ...provider('openai', { customHost: `${stage.url}/v1`, secret: 'sk-openai-secret' }),
    ];
    const given: StartedWith = { env: store.env, snapshot: snapshot(entries), budgets: `${stage.url}/budgets` };
    const args = ['--conditions=@gatehouse/source', PROCESS, JSON.stringify(given)];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    children.push(child);
    const [port] = await once(createInterface(child.stdout), 'line');
    return { child, url: `http://127.0.0.1:${port}` };
  };
  const create = async (url: string): Promise<void> => {
    const headers = { 'x-gw-api-key': KEY, 'x-gw-provider': '@openai' };
    const body = { input_file_id: 'file-input', endpoint: '/v1/chat/completions' };
    expect((await send(`${url}/v1/batches`, { method: 'POST', headers, body })).status).toBe(200);
  };
  const read = async (url: string): Promise<void> => {
    const headers = { 'x-gw-api-key': KEY, 'x-gw-provider': '@openai' };
    expect(await send(`${url}/v1/batches/batch_1/output`, { headers })).toMatchObject({ status: 200, text: OUTPUT });
  };
  /** Ends the process in peace, so that it tells all that was spent. */
  const end = async (child: ChildProcess): Promise<void> => {
    child.stdin?.end();
    await once(child, 'exit');
  };
  const ALL = ROWS * TOKENS;

  test('every row is charged once, whether the process is killed while it reads or before it hears of the charge', async () => {
    stage.isWhole = false;
    const first = await start();
    await create(first.url);
    await waitFor(() => stage.reads.length > 0, { what: 'the reading' });
    await kill(first.child);
    expect(stage.total).toBe(0);
    stage.isWhole = true;
    stage.isSilent = true;
    const second = await start();
    await waitFor(() => stage.charges > 0, { what: 'a charge' });
    await kill(second.child);
    expect(stage.total).toBe(ALL);
    stage.isSilent = false;
    const third = await start();
    await waitFor(() => stage.charges > 1, { what: 'the charge once more' });
    await read(third.url);
    await end(third.child);
    expect(stage.total).toBe(ALL);
  });
}
