/** The command line `gatehouse`: runs a command and turns its errors into one line and an exit status. */
import packageJson from '../../package.json' with { type: 'json' };
import { type Command, describeCommand, parseInvocation } from './command.ts';
import { mockProvider } from './mock-provider.ts';
import { render } from './render.ts';
import { CommandError, type Shell, UsageError } from './shell.ts';
import { standalone } from './standalone.ts';
import { validate } from './validate.ts';

export { CommandError, type Shell, STOP_CODES, type StopSignal } from './shell.ts';

const COMMANDS: readonly Command[] = [standalone, validate, render, mockProvider];

/** Runs the command line. Returns the exit status: 0, 1 when the command failed, 2 for invalid arguments. */
export async function runCommandLine(args: readonly string[], shell: Shell): Promise<number> {
  const [name, ...rest] = args;
  if (name === '--version') return say(shell, packageJson.version);
  if (name === '--help' || name === 'help') return say(shell, describeAll());
  const command = COMMANDS.find((known) => known.name === name);
  if (command === undefined) {
    shell.err(
      `gatehouse: ${name === undefined ? 'a command is missing' : `unknown command ${name}`}; see gatehouse --help`,
    );
    return 2;
  }
  if (rest.includes('--help')) return say(shell, describeCommand(command));
  return runCommand(command, rest, shell);
}

async function runCommand(command: Command, args: readonly string[], shell: Shell): Promise<number> {
  try {
    return await command.run(parseInvocation(command, args, shell));
  } catch (error) {
    if (error instanceof UsageError) {
      shell.err(`gatehouse ${command.name}: ${error.message}; see gatehouse ${command.name} --help`);
      return 2;
    }
    if (!(error instanceof CommandError)) throw error;
    shell.err(`gatehouse ${command.name}: ${error.message}`);
    return 1;
  }
}

function say(shell: Shell, text: string): number {
  shell.out(text);
  return 0;
}

function describeAll(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  return [
    'An AI gateway from a folder of Kubernetes resources, without a cluster.',
    '',
    'Usage: gatehouse COMMAND [options]',
    '',
    ...COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    '  --version  shows the version',
    '  --help     shows this; after a command, its options',
  ].join('\n');
}
