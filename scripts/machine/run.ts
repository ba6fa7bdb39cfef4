import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** How a command ended. */
export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CaptureOptions {
  /** Standard input. */
  readonly input?: string;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Ends the command; default ten minutes. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 600_000;

/** Runs a command to its end and returns the result, whatever the exit code. */
export async function capture(
  [program = '', ...args]: readonly string[],
  { input = '', cwd, env, timeoutMs = TIMEOUT_MS }: CaptureOptions = {},
): Promise<CommandResult> {
  const child = spawn(program, args, { stdio: 'pipe', cwd, env, timeout: timeoutMs, killSignal: 'SIGKILL' });
  child.stdin.on('error', () => {}); // it left without reading
  child.stdin.end(input);
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code: typeof code === 'number' ? code : 1, stdout, stderr }; // no number after a signal
}

/** Runs a command and returns its standard output; rejects with its standard error on failure. */
export async function run(command: readonly string[], options: CaptureOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await capture(command, options);
  if (code === 0) return stdout;
  throw new Error(`${command.join(' ')} ended with ${code}: ${stderr.trim()}`);
}
