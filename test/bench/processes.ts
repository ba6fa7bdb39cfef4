/** Child processes of the bench. Each is watched and ended by its own pid; none outlives the bench. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { isListening } from './ports.ts';

export interface Running {
  readonly pid: number;
  /** Ends the process; resolves when it is gone. */
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly args?: readonly string[];
  /** The whole environment beside PATH and HOME. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly execArgv?: readonly string[];
  readonly cwd?: string;
  /** Where a listener listens; 127.0.0.1 when absent. */
  readonly host?: string;
  readonly readyTimeoutMs?: number;
}

const READY_TIMEOUT_MS = 30_000;
const POLL_MS = 100;
/** After that a process that got SIGTERM is killed. */
const STOP_TIMEOUT_MS = 5_000;
/** Characters of the end of a child's output that an error quotes. */
const LAST_WORDS = 2_000;

export class Processes implements AsyncDisposable {
  readonly #children = new Set<ChildProcess>();
  /** Of those that send messages. */
  readonly #lastWords = new WeakMap<ChildProcess, () => string>();

  /**
   * Starts a Node program that sends one message over IPC once it is ready, and ends when the channel closes; answers with
   * that message. Its output goes nowhere. `ask` sends it a message and resolves with its answer.
   */
  async startNode<T>(
    file: string | URL,
    options: StartOptions = {},
  ): Promise<Running & { readonly ready: T; ask<R>(): Promise<R> }> {
    const child = this.#fork(file, options);
    return {
      ...this.#running(child),
      ask: <R>() => {
        const answer = this.#message<R>(child, READY_TIMEOUT_MS);
        child.send({});
        return answer;
      },
      ready: await this.#message<T>(child, options.readyTimeoutMs ?? READY_TIMEOUT_MS),
    };
  }

  /** Runs a Node program that does one task (load/task.ts) and answers with its result. */
  async runTask<T extends object, R>(file: URL, task: T, timeoutMs: number): Promise<R> {
    const child = this.#fork(file, {});
    child.send(task);
    const answer = await this.#message<{ readonly result: R } | { readonly error: string }>(child, timeoutMs);
    await this.#running(child).stop();
    if ('error' in answer) throw new Error(answer.error);
    return answer.result;
  }

  /** Starts a program that listens on a port of this machine; resolves when it does. */
  async startListener(command: string, port: number, options: StartOptions = {}): Promise<Running> {
    const child = this.#spawn(command, options, 'ignore');
    const lastWords = keepLastWords(child);
    const deadline = Date.now() + (options.readyTimeoutMs ?? READY_TIMEOUT_MS);
    while (!(await isListening(port, options.host))) {
      const isGone = child.pid === undefined || child.exitCode !== null;
      const problem = isGone ? 'ended' : Date.now() > deadline ? 'does not listen' : undefined;
      if (problem !== undefined) {
        await this.#running(child).stop();
        throw new Error(`${command} ${problem}: ${lastWords()}`);
      }
      await wait(POLL_MS);
    }
    return this.#running(child);
  }

  /** Runs a command to its end; answers with what it printed. Rejects when it fails. */
  async run(command: string, options: StartOptions = {}): Promise<string> {
    const child = this.#spawn(command, options, 'pipe');
    const lastWords = keepLastWords(child);
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
    if (code !== 0) throw new Error(`${command} ended with ${String(code)}: ${lastWords()}`);
    return output;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#children].map((child) => this.#running(child).stop()));
  }

  #fork(file: string | URL, { args = [], execArgv = [], env, cwd }: StartOptions): ChildProcess {
    const child = this.#adopt(
      fork(file, [...args], {
        ...place(env, cwd),
        execArgv: [...execArgv],
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      }),
    );
    this.#lastWords.set(child, keepLastWords(child));
    return child;
  }

  #spawn(command: string, { args = [], env, cwd }: StartOptions, stdout: 'ignore' | 'pipe'): ChildProcess {
    return this.#adopt(spawn(command, [...args], { ...place(env, cwd), stdio: ['ignore', stdout, 'pipe'] }));
  }

  #adopt(child: ChildProcess): ChildProcess {
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    child.once('error', () => this.#children.delete(child));
    return child;
  }

  /** The child's next message; rejects with the end of its output when it ends first, or after the time. */
  async #message<T>(child: ChildProcess, timeoutMs: number): Promise<T> {
    const waiting = new AbortController();
    const signal = AbortSignal.any([waiting.signal, AbortSignal.timeout(timeoutMs)]);
    try {
      return await Promise.race([
        once(child, 'message', { signal }).then(([message]) => message as T), // the caller names what its program sends
        once(child, 'exit', { signal }).then(() => Promise.reject(new Error('the process ended'))),
      ]);
    } catch (cause) {
      await this.#running(child).stop();
      throw new Error(`${child.spawnargs.join(' ')}: ${this.#lastWords.get(child)?.() ?? ''}`, { cause });
    } finally {
      waiting.abort();
    }
  }

  #running(child: ChildProcess): Running {
    return {
      pid: child.pid ?? 0,
      stop: async () => {
        if (!this.#children.has(child)) return;
        const gone = once(child, 'exit');
        if (child.connected) child.disconnect();
        else child.kill('SIGTERM');
        const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
        await gone;
        clearTimeout(timer);
      },
    };
  }
}

const place = (env: StartOptions['env'], cwd: string | undefined) => ({
  env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
  ...(cwd === undefined ? {} : { cwd }),
});

function keepLastWords(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
    text = (text + piece).slice(-LAST_WORDS);
  });
  return () => text.trim();
}
