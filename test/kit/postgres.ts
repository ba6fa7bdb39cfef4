import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePort } from './free-port.ts';
import { waitFor } from './wait-for.ts';

export interface PostgresServer extends AsyncDisposable {
  /** Of the superuser, and of an empty database of its own for each call. */
  database(): Promise<string>;
  readonly port: number;
  /** Ends the server like a crash; what was committed is kept. */
  stop(): Promise<void>;
  /** Starts it again at the same port. */
  start(): Promise<void>;
  /** Runs statements as the superuser. */
  sql(statements: string, database?: string): Promise<string>;
}

const run = promisify(execFile);
const USER = 'gatehouse';
/** The server refuses to run as root; this user owns nothing. */
const NOBODY = 65_534;
/** Where Debian has the programs, by major version. */
const DEBIAN = '/usr/lib/postgresql';
const START_TRIES = 5;

/** That of the environment, else the newest version; undefined: none is installed. */
function folderOfPrograms(): string | undefined {
  const named = process.env['POSTGRES_PROGRAMS'];
  if (named !== undefined) return named;
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = versions.map((version) => join(DEBIAN, version, 'bin'));
  const found = folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
  if (found !== undefined) return found;
  return spawnSync('initdb', ['--version'], { stdio: 'ignore' }).status === 0 ? '' : undefined;
}

export interface PostgresOptions {
  /** The folder of initdb and postgres; that of the machine when absent. */
  readonly programs?: string;
}

/** Starts a server of its own, on loopback and a random port, with a data folder that goes with it. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const programs = options.programs ?? folderOfPrograms();
  if (programs === undefined) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  const home = await mkdtemp(join(tmpdir(), 'gatehouse-postgres-'));
  const password = randomBytes(16).toString('hex');
  const as = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const server: Server = { programs, data: join(home, 'data'), as, password };
  try {
    if (as.uid !== undefined) await chown(home, as.uid, as.gid);
    const secret = join(home, 'password');
    await writeFile(secret, password);
    if (as.uid !== undefined) await chown(secret, as.uid, as.gid);
    const settings = [
      '-U',
      USER,
      '--auth=scram-sha-256',
      `--pwfile=${secret}`,
      '--no-sync',
      '--locale=C',
      '-E',
      'UTF8',
    ];
    await run(join(programs, 'initdb'), ['-D', server.data, ...settings], { ...as, cwd: home });
    const { port, child } = await startSomewhere(server);
    return toServer(server, { home, port, child });
  } catch (error) {
    await rm(home, { recursive: true, force: true });
    throw error;
  }
}

interface Server {
  readonly programs: string;
  readonly data: string;
  readonly as: { readonly uid?: number; readonly gid?: number };
  readonly password: string;
}

interface Started {
  readonly home: string;
  readonly port: number;
  readonly child: ChildProcess;
}

function toServer(server: Server, { home, port, child: first }: Started): PostgresServer {
  let child: ChildProcess | undefined = first;
  let databases = 0;
  const killOnExit = (): void => {
    child?.kill('SIGKILL');
  };
  process.on('exit', killOnExit);
  const stop = async (): Promise<void> => {
    const ended = child;
    child = undefined;
    if (ended !== undefined) await end(ended);
  };
  const sql = (statements: string, database = 'postgres'): Promise<string> =>
    ask(urlOf(server.password, port, database), statements);
  return {
    port,
    stop,
    sql,
    start: async () => {
      child ??= await launch(server, port);
    },
    database: async () => {
      databases += 1;
      await sql(`create database test${databases}`);
      return urlOf(server.password, port, `test${databases}`);
    },
    [Symbol.asyncDispose]: async () => {
      process.off('exit', killOnExit);
      await stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

const urlOf = (password: string, port: number, database: string): string =>
  `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`;

/** The rows of the answer as JSON. */
async function ask(url: string, statements: string): Promise<string> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {}); // it was cut off: queries say so
  await client.connect();
  try {
    const { rows = [] } = await client.query(statements);
    return JSON.stringify(rows);
  } finally {
    await client.end();
  }
}

/** A free port may be taken before the server has it, so there are several tries. */
async function startSomewhere(server: Server): Promise<{ readonly port: number; readonly child: ChildProcess }> {
  let failure: unknown;
  for (let i = 0; i < START_TRIES; i += 1) {
    const port = await freePort();
    try {
      return { port, child: await launch(server, port) };
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

async function launch({ programs, data, as, password }: Server, port: number): Promise<ChildProcess> {
  const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off', max_connections: '60' };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(join(programs, 'postgres'), ['-D', data, '-p', String(port), ...flags], {
    ...as,
    cwd: data,
    stdio: 'ignore',
  });
  try {
    await waitFor(
      async () => {
        if (child.exitCode !== null) throw new Error(`postgres ended with ${child.exitCode}`);
        return ask(urlOf(password, port, 'postgres'), 'select 1').catch(() => undefined); // not listening yet
      },
      { what: 'postgres' },
    );
    return child;
  } catch (error) {
    await end(child);
    throw error;
  }
}

/** Backends see that the postmaster is gone, and end by themselves. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGQUIT'); // an immediate shutdown: nothing is finished
  await exited;
}
