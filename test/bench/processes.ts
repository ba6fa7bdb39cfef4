/** Child processes of the bench: each is started, watched and ended here, by its own pid. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

export interface Running {
  readonly pid: number;
  /** Ends the process and everything it started; resolves when it is gone. */
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly args?: readonly string[];
  /** The whole environment besides PATH and HOME. */
  readonly env?: Readonly<Record<string, string>>;
  readonly execArgv?: readonly string[];
  readonly cwd?: string;
  readonly readyTimeoutMs?: number;
}

const READY_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 5_000;
/** Characters of a child's last words that an error quotes. */
const LAST_WORDS = 2_000;

const environment = (more: StartOptions['env'] = {}): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  ...more,
});

/** Starts a Node program that sends one message once it is ready; answers with that message. Its output goes nowhere. */
export async function startNode<T>(file: URL, options: StartOptions = {}): Promise<Running & { readonly ready: T }> {
  const child = fork(file, [...(options.args ?? [])], {
    execArgv: [...(options.execArgv ?? [])],
    env: environment(options.env),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const ready = await firstMessage<T>(child, options.readyTimeoutMs ?? READY_TIMEOUT_MS);
  return { ...running(child), ready };
}

/** Starts a program that listens on a port; resolves when it does. */
export async function startListener(command: string, port: number, options: StartOptions = {}): Promise<Running> {
  const child = spawn(command, [...(options.args ?? [])], {
    env: environment(options.env),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lastWords = keepLastWords(child);
  const deadline = Date.now() + (options.readyTimeoutMs ?? READY_TIMEOUT_MS);
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}: ${lastWords()}`);
    if (Date.now() > deadline) {
      await running(child).stop();
      throw new Error(`${command} does not listen on its port: ${lastWords()}`);
    }
    await wait(100);
  }
  return running(child);
}

/** Runs a Node program that does one task (load/task.ts) and answers with its result. */
export async function runTask<T, R>(file: URL, task: T): Promise<R> {
  const child = fork(file, { env: environment(), stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  const lastWords = keepLastWords(child);
  try {
    child.send(task as object); // tasks are plain objects
    const answer = await Promise.race([
      once(child, 'message').then(([message]) => message as { result: R } | { error: string }), // what answerTask sends
      once(child, 'exit').then(() => ({ error: lastWords() })),
    ]);
    if ('error' in answer) throw new Error(answer.error);
    return answer.result;
  } finally {
    await running(child).stop();
  }
}

/** Runs a command to its end; answers with what it printed. Rejects when it fails. */
export async function runCommand(command: string, options: StartOptions = {}): Promise<string> {
  const child = spawn(command, [...(options.args ?? [])], {
    env: environment(options.env),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lastWords = keepLastWords(child);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`${command} ended with ${String(code)}: ${lastWords()}`);
  return output;
}

async function firstMessage<T>(child: ChildProcess, timeoutMs: number): Promise<T> {
  const lastWords = keepLastWords(child);
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([message]) => message as T), // the caller names what its program sends
      once(child, 'exit', { signal }).then(() => Promise.reject(new Error(`The process ended: ${lastWords()}`))),
    ]);
  } catch (error) {
    await running(child).stop();
    throw error;
  }
}

function keepLastWords(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
    text = (text + piece).slice(-LAST_WORDS);
  });
  return () => text.trim();
}

function running(child: ChildProcess): Running {
  const { pid = 0 } = child;
  return {
    pid,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await gone;
      clearTimeout(timer);
    },
  };
}

/** A port nobody listens on now, for programs that cannot choose one themselves. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** What a process uses. */
export interface Usage {
  readonly rssMb: number;
  /** User and system time since its start, in steps of 10 ms. */
  readonly cpuMs: number;
}

/** Milliseconds of a tick in /proc/PID/stat: USER_HZ is 100 on Linux. */
const TICK_MS = 10;

/** Reads what a process and its children use now (proc(5)). */
export async function usageOf(pid: number): Promise<Usage> {
  const file = (name: string): Promise<string> => readFile(`/proc/${pid}/${name}`, 'utf8');
  const [status, stat, children] = await Promise.all([file('status'), file('stat'), file(`task/${pid}/children`)]);
  const rssKb = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name before it may hold spaces
  const own = { rssMb: rssKb / 1024, cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS };
  const others = await Promise.all(children.split(' ').filter(Boolean).map((child) => usageOf(Number(child))));
  return others.reduce((a, b) => ({ rssMb: a.rssMb + b.rssMb, cpuMs: a.cpuMs + b.cpuMs }), own);
}
