/** Several processes behind one port, as people run them: edits, limits, crashes, drains. */
import { createHash } from 'node:crypto';
import { Agent, request } from 'node:http';
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMockProvider, type MockProvider } from '../mock-provider/index.ts';
import {
  addressOf,
  type ChildGatehouse,
  runGatehouse,
  startGatehouse,
  startTestProcess,
  type TempFolder,
  tempFolder,
} from '../testing/index.ts';

const KEY = 'gwk_app_of_tests';
const LIMITED_KEY = 'gwk_limited_of_tests';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const API = 'apiVersion: gatehouse.dev/v1alpha1';

let mock: MockProvider;
beforeAll(async () => {
  mock = await createMockProvider();
});
afterAll(() => mock.close());

const config = (model: string): string =>
  `${API}\nkind: GatewayConfig\nmetadata: { name: main, namespace: team-a }\nspec: { config: { provider: "@local", overrideParams: { model: ${model} } } }\n`;
const key = (name: string, text: string, more = ''): string =>
  `${API}\nkind: ApiKey\nmetadata: { name: ${name}, namespace: team-a }\nspec: { type: workspace-service, sha256: ${sha256(text)}, scopes: [completions.write]${more} }\n`;

const folderOf = (model: string): TempFolder =>
  tempFolder({
    'workspace.yaml': `${API}\nkind: Workspace\nmetadata: { name: team-a }\nspec: { namespace: team-a, defaults: { configRef: { name: main } } }\n`,
    'key.yaml': key('app', KEY),
    'limited.yaml': key('limited', LIMITED_KEY, ', rateLimits: [{ type: requests, unit: rpw, value: 20 }]'),
    'provider.yaml': `${API}\nkind: VirtualKey\nmetadata: { name: local, namespace: team-a }\nspec: { provider: openai, customHost: "${mock.url}/v1" }\n`,
    'config.yaml': config(model),
  });

const argsOf = (folder: TempFolder): string[] => [
  ...['standalone', '--workers', '2', '--resources', folder.path, '--data', `${folder.path}/.data`],
  ...['--port', '0', '--admin-port', '0'],
];

interface Running extends AsyncDisposable {
  readonly child: ChildGatehouse;
  readonly url: string;
  readonly adminUrl: string;
}

async function start(folder: TempFolder, env: Readonly<Record<string, string>> = {}): Promise<Running> {
  const child = startGatehouse(argsOf(folder), env);
  const url = await addressOf(child);
  const adminUrl = await waitFor(() => /status are on (http:\/\/\S+)\s/.exec(child.err)?.[1], {
    what: 'the admin address',
  });
  return { child, url, adminUrl, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
}

interface Asked {
  /** 0 when the connection broke. */
  readonly status: number;
  readonly body: string;
}

interface AskOptions {
  readonly key?: string;
  readonly stream?: boolean;
  /** Keeps connections; without it each request has a new one. */
  readonly agent?: Agent;
  onBytes?(): void;
}

function ask(url: string, { key: bearer = KEY, stream = false, agent, onBytes }: AskOptions = {}): Promise<Asked> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
    const sent = request(`${url}/v1/chat/completions`, { method: 'POST', headers, agent: agent ?? false });
    let body = '';
    sent.on('error', () => resolve({ status: 0, body }));
    sent.on('response', (response) => {
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString();
        onBytes?.();
      });
      response.on('error', () => resolve({ status: 0, body }));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    sent.end(
      JSON.stringify({ model: 'any', stream, messages: [{ role: 'user', content: 'one two three four five' }] }),
    );
  });
}

const many = (count: number, url: string, options?: AskOptions): Promise<Asked[]> =>
  Promise.all(Array.from({ length: count }, () => ask(url, options)));

/** A stream that has begun. */
async function openStream(url: string): Promise<{ readonly end: Promise<Asked> }> {
  const begun = Promise.withResolvers<void>();
  const end = ask(url, { stream: true, onBytes: begun.resolve });
  await begun.promise;
  return { end };
}

interface WorkerStatus {
  readonly id: number;
  readonly pid: number;
  readonly listening: boolean;
}

async function workersOf({ adminUrl }: Running): Promise<readonly WorkerStatus[]> {
  const status = (await (await fetch(`${adminUrl}/internal/status`)).json()) as { source: { workers: WorkerStatus[] } };
  return status.source.workers;
}

const logOf = ({ child }: Running): readonly Readonly<Record<string, unknown>>[] =>
  child.out.split('\n').flatMap((line, at, all) => (at === all.length - 1 ? [] : [JSON.parse(line)]));

const finishedIn = (running: Running): number => logOf(running).filter(({ msg }) => msg === 'Request finished').length;

/** Asks until both workers have answered since then; every answer must be as `check` says. */
async function askBoth(running: Running, check: (asked: Asked) => void): Promise<void> {
  const seen = logOf(running).length;
  await waitFor(
    async () => {
      for (const asked of await many(20, running.url)) check(asked);
      const finished = logOf(running)
        .slice(seen)
        .filter(({ msg }) => msg === 'Request finished');
      return new Set(finished.map(({ worker }) => worker)).size === 2;
    },
    { what: 'answers of both workers' },
  );
}

async function counted({ adminUrl }: Running, name: string): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('workers behind one port', () => {
  test('serve an edit, keep limits and report as one', async () => {
    using folder = folderOf('one');
    await using running = await start(folder);
    await askBoth(running, ({ body }) => expect(body).toContain('"model":"one"'));

    folder.write('config.yaml', config('two'));
    const { version } = (await (await fetch(`${running.adminUrl}/internal/snapshot?wait=2`)).json()) as {
      version: number;
    };
    expect(version).toBe(2);
    await askBoth(running, ({ body }) => expect(body).toContain('"model":"two"'));

    const statuses = (await many(60, running.url, { key: LIMITED_KEY })).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(40);

    await waitFor(async () => (await counted(running, 'gatehouse_requests_total')) === finishedIn(running), {
      what: 'a count of all requests',
    });
    const onMain = await (await fetch(`${running.url}/metrics`)).text();
    expect(onMain).toMatch(/^gatehouse_workers\{.*\} 2$/m);
    expect(onMain).toMatch(/^gatehouse_process_start_time_seconds\{.*\} \d{10}$/m);
  });

  test('go on while one that crashed is replaced, and forget nothing that it counted', async () => {
    using folder = folderOf('mock-slow-100');
    await using running = await start(folder);
    await askBoth(running, ({ status }) => expect(status).toBe(200));
    const before = await counted(running, 'gatehouse_requests_total');
    const [first] = await workersOf(running);
    const pid = first?.pid ?? 0;

    process.kill(pid, 'SIGSTOP'); // from now on the other one takes all connections
    const streams = await Promise.all(Array.from({ length: 5 }, () => openStream(running.url)));
    process.kill(pid, 'SIGKILL');
    const replaced = waitFor(
      async () => {
        const workers = await workersOf(running);
        return workers.length === 2 && workers.every((worker) => worker.listening && worker.pid !== pid);
      },
      { what: 'the replacement' },
    );
    let done = false;
    void replaced.then(() => {
      done = true;
    });
    const asked: Asked[] = [];
    while (!done) asked.push(...(await many(4, running.url)));
    expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200]));
    for (const { end } of streams) expect((await end).body).toContain('data: [DONE]');
    await askBoth(running, ({ status }) => expect(status).toBe(200));
    expect(await counted(running, 'gatehouse_requests_total')).toBeGreaterThanOrEqual(before + asked.length + 5);
    expect(await counted(running, 'gatehouse_worker_restarts_total')).toBe(1);
  });

  test('finish what is in flight when the process is stopped under load', async () => {
    using folder = folderOf('mock-slow-1000');
    await using running = await start(folder, { GATEHOUSE_DRAIN_ACCEPT_MS: '4000' });
    const streams = await Promise.all(Array.from({ length: 6 }, () => openStream(running.url)));
    folder.write('config.yaml', config('fast'));
    await fetch(`${running.adminUrl}/internal/snapshot?wait=2`);

    // As behind a load balancer: no more requests once the readiness probe has failed.
    let isReady = true;
    const kept = new Agent({ keepAlive: true, maxSockets: 4 });
    const asked: Asked[] = [];
    const load = Array.from({ length: 8 }, async (_, i) => {
      while (isReady) asked.push(await ask(running.url, i < 4 ? {} : { agent: kept }));
    });
    await waitFor(() => asked.length > 20);
    running.child.kill('SIGTERM');
    const before = asked.length;
    await waitFor(() => asked.length > before, { what: 'answers during the drain' });
    await waitFor(async () => (await fetch(`${running.adminUrl}/readyz`)).status === 503, {
      what: 'the failing probe',
    });
    isReady = false;
    await Promise.all(load);
    expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200]));
    for (const { end } of streams) expect((await end).body).toContain('data: [DONE]');
    expect(await running.child.ended).toBe(0);
    kept.destroy();
  });

  test.for(['SIGINT', 'SIGKILL'] as const)('end with their parent (%s)', async (signal) => {
    using folder = folderOf('mock-slow-1000');
    await using running = await start(folder);
    const workers = await workersOf(running);
    const { end } = await openStream(running.url);
    let status: number | string | undefined;
    void running.child.ended.then((ended) => {
      status = ended;
    });
    // A signal that comes right behind the first one is taken for the same.
    await waitFor(
      () => {
        running.child.kill(signal);
        return status;
      },
      { what: 'the end' },
    );
    expect(status).toBe(signal === 'SIGINT' ? 130 : 'SIGKILL');
    await waitFor(() => !workers.some(({ pid }) => isAlive(pid)), { what: 'the end of the workers' });
    expect((await end).body).not.toContain('[DONE]');
  });
});

describe('gatehouse standalone --workers', () => {
  test('reports in one line that the port is in use', async () => {
    using folder = folderOf('one');
    await using other = await startTestProcess(folder.path);
    const { port } = new URL(other.url);
    const { status, err } = await runGatehouse([...argsOf(folder), '--port', port]);
    expect(status).toBe(1);
    expect(err.trimEnd().split('\n')).toEqual([expect.stringContaining(`${port}: the port is in use`)]);
  });
});
