/** A ClickHouse for tests: the real engine, on loopback and a random port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../kit/free-port.ts';
import { installEngine, pythonOfEngine } from './install.ts';

export interface ClickHouseServer extends AsyncDisposable {
  /** With the account. */
  readonly url: string;
  readonly port: number;
  /** Ends the server like a crash. */
  stop(): Promise<void>;
  /** Starts it again at the same port, with the same data. */
  start(): Promise<void>;
  /** Rows of a query. */
  rows(query: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

const SERVER = fileURLToPath(new URL('server.py', import.meta.url));

export async function startClickHouse(): Promise<ClickHouseServer> {
  await installEngine();
  const home = await mkdtemp(join(tmpdir(), 'gatehouse-clickhouse-'));
  const password = randomBytes(16).toString('hex');
  const port = await freePort();
  const launch = (): Promise<ChildProcess> => launchServer([join(home, 'data'), password, String(port)]);
  let child: ChildProcess | undefined = await launch();
  const killOnExit = (): void => {
    child?.kill('SIGKILL');
  };
  process.on('exit', killOnExit);
  const stop = async (): Promise<void> => {
    const ended = child;
    child = undefined;
    if (ended !== undefined) await end(ended);
  };
  const origin = `http://127.0.0.1:${port}`;
  return {
    url: `http://default:${password}@127.0.0.1:${port}`,
    port,
    stop,
    start: async () => {
      child ??= await launch();
    },
    rows: async (query) => {
      const answer = await fetch(`${origin}/?default_format=JSON`, {
        method: 'POST',
        headers: { 'x-clickhouse-user': 'default', 'x-clickhouse-key': password },
        body: query,
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(text);
      return text === '' ? [] : JSON.parse(text).data;
    },
    [Symbol.asyncDispose]: async () => {
      process.off('exit', killOnExit);
      await stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function launchServer(args: readonly string[]): Promise<ChildProcess> {
  const child = spawn(pythonOfEngine(), [SERVER, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const { stdout } = child;
  const [line] = await Promise.race([once(stdout, 'data'), once(child, 'exit')]);
  if (!String(line).startsWith('listening')) throw new Error('The engine of ClickHouse did not start');
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
