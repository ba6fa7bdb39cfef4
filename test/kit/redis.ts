import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

export interface RedisServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Ends the server like a crash; its data is lost. */
  stop(): Promise<void>;
  /** Starts it again at the same port. */
  start(): Promise<void>;
  /** Closes the connections of all clients. */
  dropClients(): Promise<void>;
  /** The server keeps its connections and answers nothing. */
  freeze(): void;
  thaw(): void;
}

export interface RedisServerOptions {
  readonly password?: string;
  /** A cluster of this one node. */
  readonly cluster?: boolean;
  /** A node without slots that waits to be joined to a cluster. */
  readonly clusterPort?: number;
  /** Further settings of the configuration file. */
  readonly settings?: Readonly<Record<string, string>>;
}

const START_DEADLINE_MS = 120_000;
const START_TRIES = 5;

/** Whether `redis-server` is installed. */
export const hasRedis = (): boolean => spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;

/** Starts a Redis server of its own, on loopback and a random port, in a folder that goes with it. */
export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-redis-'));
  const removeFolder = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const { port, child } = await startSomewhere(folder, options).catch(async (error: unknown) => {
    await removeFolder();
    throw error;
  });
  let server: ChildProcess | undefined = child;

  const stop = async (): Promise<void> => {
    const ended = server;
    server = undefined;
    if (ended !== undefined) await kill(ended);
  };
  const killOnExit = (): void => {
    server?.kill('SIGKILL');
  };
  process.on('exit', killOnExit);

  const login = options.password === undefined ? '' : `:${encodeURIComponent(options.password)}@`;
  return {
    url: `redis://${login}127.0.0.1:${port}`,
    port,
    stop,
    start: async () => {
      server ??= await launch(folder, port, options);
    },
    dropClients: async () => {
      const auth = options.password === undefined ? '' : `AUTH ${options.password}\r\n`;
      await ask(port, `${auth}CLIENT KILL TYPE normal\r\n`);
    },
    freeze: () => void server?.kill('SIGSTOP'),
    thaw: () => void server?.kill('SIGCONT'),
    [Symbol.asyncDispose]: async () => {
      process.off('exit', killOnExit);
      await stop();
      await removeFolder();
    },
  };
}

/** Another program may take the free port before the server has it, so there are several tries. */
async function startSomewhere(folder: string, options: RedisServerOptions) {
  let failure: unknown;
  for (let i = 0; i < START_TRIES; i += 1) {
    const port = await freePort();
    try {
      return { port, child: await launch(folder, port, options) };
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

async function launch(folder: string, port: number, options: RedisServerOptions): Promise<ChildProcess> {
  const settings = {
    bind: '127.0.0.1',
    port: String(port),
    dir: folder,
    save: '',
    appendonly: 'no',
    ...(options.password === undefined ? {} : { requirepass: options.password }),
    ...(options.cluster ? clusterSettings(await freePort()) : {}),
    ...(options.clusterPort === undefined ? {} : clusterSettings(options.clusterPort)),
    ...options.settings,
  };
  const child = spawn(
    'redis-server',
    Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
    {
      stdio: 'ignore',
    },
  );
  try {
    const login = options.password === undefined ? '' : `AUTH ${options.password}\r\n`;
    await until(child, async () => (await ask(port, `${login}PING\r\n`)).includes('+PONG'));
    if (options.cluster) {
      await ask(port, 'CLUSTER ADDSLOTSRANGE 0 16383\r\n'); // refused after a restart, when it has them
      await until(child, async () => (await ask(port, 'CLUSTER INFO\r\n')).includes('cluster_state:ok'));
    }
    return child;
  } catch (error) {
    await kill(child);
    throw error;
  }
}

const clusterSettings = (port: number) => ({
  'cluster-enabled': 'yes',
  'cluster-announce-ip': '127.0.0.1',
  'cluster-port': String(port),
});

async function until(child: ChildProcess, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + START_DEADLINE_MS;
  while (!(await holds())) {
    if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`);
    if (performance.now() > deadline) throw new Error(`redis-server was not ready after ${START_DEADLINE_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20)); // the pause of a poll with a deadline
  }
}

/** What the server answers within 500 ms, or nothing. */
export async function ask(port: number, commands: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.setTimeout(500, () => socket.destroy());
  let answer = '';
  socket.on('data', (bytes) => {
    answer += bytes.toString();
    if (answer.includes('\r\n')) socket.setTimeout(20); // whatever else belongs to it is already on its way
  });
  socket.on('error', () => {}); // not listening yet
  socket.write(commands);
  await new Promise((resolve) => socket.on('close', resolve));
  return answer;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
