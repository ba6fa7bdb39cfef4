/** The command line as a child process. */
import { spawn } from 'node:child_process';
import { COMPILED, programArgs, waitFor } from '@gatehouse/test/kit';

export interface ChildGatehouse extends AsyncDisposable {
  readonly pid: number | undefined;
  /** Output so far. */
  readonly out: string;
  readonly err: string;
  kill(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): void;
  /** The exit status, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

/** Starts `gatehouse` with only the given environment, beside the cache of Node. */
export function startGatehouse(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildGatehouse {
  const child = spawn(process.execPath, [...programArgs('standalone'), ...args], {
    env: { ...COMPILED, ...env },
    stdio: 'pipe',
  });
  const written = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    written.out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    written.err += chunk.toString();
  });
  const ended = new Promise<number | string>((resolve) => {
    child.on('close', (code, signal) => resolve(code ?? signal ?? 'nothing'));
  });
  return {
    pid: child.pid,
    get out() {
      return written.out;
    },
    get err() {
      return written.err;
    },
    kill: (signal) => {
      child.kill(signal);
    },
    ended,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Runs `gatehouse` and waits for its end. */
export async function runGatehouse(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number | string; readonly out: string; readonly err: string }> {
  await using child = startGatehouse(args, env);
  const status = await child.ended;
  return { status, out: child.out, err: child.err };
}

/** The address in the start message of a process. */
export function addressOf(child: ChildGatehouse): Promise<string> {
  return waitFor(() => /on (http:\/\/[^/\s]+)[/\s]/.exec(child.err)?.[1], { what: 'the address' });
}
