import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '../kit/wait-for.ts';
import { recordProcess } from './state-folder.ts';

/** A program of the test cluster while it runs. */
export interface Program {
  readonly name: string;
  /** Its own process, not that of a wrapper. */
  readonly pid: number;
  /** Throws with the end of its log when it has ended. */
  assertRunning(): void;
  /** Ends it like a crash. */
  stop(): Promise<void>;
}

export interface LaunchOptions {
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
  /** State folder; the log is `logs/<name>.log` in it. */
  readonly folder: string;
  /** A program that becomes, or forks into, the command. */
  readonly wrapper?: readonly string[];
  /** The wrapper forks: the command is its child, in another process namespace. */
  readonly wrapperForks?: boolean;
  /** The program gets a standard input that ends with this process. */
  readonly leash?: boolean;
}

const LOG_TAIL_LENGTH = 3_000;

/** Starts a program; it is not ready yet when this returns. */
export async function launch(options: LaunchOptions): Promise<Program> {
  const { name, folder, wrapper = [], wrapperForks = false } = options;
  await mkdir(join(folder, 'logs'), { recursive: true });
  const log = join(folder, 'logs', `${name}.log`);
  const child = spawnLogged([...wrapper, ...options.command], log, options.leash === true);
  await once(child, 'spawn');
  const exited = child.exitCode === null ? once(child, 'exit') : Promise.resolve();
  const assertRunning = (): void => {
    if (child.exitCode === null && child.signalCode === null) return;
    throw new Error(`${name} ended with ${child.exitCode ?? child.signalCode}: ${tailOf(log)}`);
  };
  const wrapperPid = child.pid ?? 0; // set once it has spawned
  const pid = wrapperForks ? await childOf(wrapperPid, assertRunning) : wrapperPid;
  recordProcess(folder, pid);
  return {
    name,
    pid,
    assertRunning,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      kill(pid);
      await exited;
    },
  };
}

/** Waits until the program is ready; fails at once when it ends before. */
export async function untilReady(program: Program, isReady: () => boolean | Promise<boolean>): Promise<void> {
  await waitFor(
    () => {
      program.assertRunning();
      return isReady();
    },
    { what: `${program.name} ready` },
  );
}

function spawnLogged([program = '', ...args]: readonly string[], log: string, leash: boolean): ChildProcess {
  const output = openSync(log, 'a');
  try {
    return spawn(program, args, { stdio: [leash ? 'pipe' : 'ignore', output, output] });
  } finally {
    closeSync(output);
  }
}

/** The one child of a process. */
const childOf = (pid: number, assertRunning: () => void): Promise<number> =>
  waitFor(
    () => {
      assertRunning();
      const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
      return Number(first);
    },
    { what: `a child of process ${pid}` },
  );

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended meanwhile
  }
}

const tailOf = (log: string): string => readFileSync(log, 'utf8').slice(-LOG_TAIL_LENGTH);

/**
 * The wrapper of a program that the kernel kills when this process dies, however that happens. Elsewhere than on Linux a
 * crash leaves the program to the next start, which ends what owners that have ended left behind.
 */
export const dyingWithUs = (): readonly string[] =>
  process.platform === 'linux' ? ['setpriv', '--pdeathsig', 'KILL', '--'] : [];
