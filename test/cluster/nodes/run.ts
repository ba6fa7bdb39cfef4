import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** Runs a command to its end and returns what it printed; fails with what it complained about. */
export async function run(command: readonly string[], input = ''): Promise<string> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: 'pipe' });
  child.stdin.on('error', () => {}); // it left without reading
  child.stdin.end(input);
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  if (code === 0) return stdout;
  throw new Error(`${command.join(' ')} ended with ${code}: ${stderr.trim()}`);
}
