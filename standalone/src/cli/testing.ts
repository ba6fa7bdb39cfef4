/** The command line inside a test. */
import { runCommandLine } from './index.ts';

export interface Ran {
  readonly status: number;
  readonly out: readonly string[];
  readonly err: string;
}

export async function runInTest(args: readonly string[], variables: Readonly<Record<string, string>>): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const status = await runCommandLine(args, {
    variables,
    interactive: false,
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    onStop: () => () => {},
    onFault: () => {},
    exit: () => {
      throw new Error('the process would have ended');
    },
  });
  return { status, out, err: err.join('\n') };
}
