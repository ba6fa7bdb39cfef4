/** The command line `gatehouse`: runs a command and turns its errors into one line and an exit status. */
import { createSuggestions, didYouMean } from '@gatehouse/crds';
import { toPrintable } from '../terminal/index.ts';
import { type Command, parseInvocation } from './command.ts';
import { createCompletion } from './completion.ts';
import { doctor } from './doctor/index.ts';
import { guardrail } from './guardrail.ts';
import { describeAll, describeCommand } from './help.ts';
import { importFile } from './import.ts';
import { logs } from './logs/index.ts';
import { mockProvider } from './mock-provider.ts';
import { apply, deleteObjects, diff, exportObjects, get } from './objects/index.ts';
import { reRate } from './re-rate/index.ts';
import { render } from './render.ts';
import { replay } from './replay/index.ts';
import { CommandError, type Shell, UsageError } from './shell.ts';
import { standalone } from './standalone.ts';
import { usage } from './usage.ts';
import { validate } from './validate.ts';
import { PACKAGE_VERSION, version } from './version.ts';

export { CommandError, type Shell, STOP_CODES, type StopSignal } from './shell.ts';

const completion: Command = createCompletion(() => COMMANDS);
const COMMANDS: readonly Command[] = [
  standalone,
  validate,
  render,
  guardrail,
  doctor,
  usage,
  logs,
  reRate,
  replay,
  get,
  apply,
  diff,
  deleteObjects,
  exportObjects,
  importFile,
  mockProvider,
  version,
  completion,
];

/** Runs the command line. Returns the exit status: 0, 1 when the command failed, 2 for invalid arguments. */
export async function runCommandLine(args: readonly string[], shell: Shell): Promise<number> {
  const [name, ...rest] = args;
  if (name === '--version') return say(shell, PACKAGE_VERSION);
  if (isHelp(name) || (name === 'help' && rest.length === 0)) return say(shell, describeAll(COMMANDS));
  if (name === 'help') return runCommandLine([...rest.slice(0, 1), '--help'], shell);
  const command = COMMANDS.find((known) => known.name === name);
  if (command === undefined) {
    shell.err(`gatehouse: ${name === undefined ? 'a command is missing' : unknownCommand(name)}; see gatehouse --help`);
    return 2;
  }
  if (rest.some(isHelp)) return say(shell, describeCommand(command));
  return runCommand(command, rest, shell);
}

const isHelp = (word: string | undefined): boolean => word === '--help' || word === '-h';

function unknownCommand(name: string): string {
  const near = createSuggestions()(
    name,
    COMMANDS.map((command) => command.name),
  );
  return toPrintable(`unknown command ${name}${didYouMean(near)}`);
}

async function runCommand(command: Command, args: readonly string[], shell: Shell): Promise<number> {
  try {
    return await command.run(parseInvocation(command, args, shell));
  } catch (error) {
    if (error instanceof UsageError) {
      shell.err(toPrintable(`gatehouse ${command.name}: ${error.message}; see gatehouse ${command.name} --help`));
      return 2;
    }
    if (!(error instanceof CommandError)) throw error;
    shell.err(toPrintable(`gatehouse ${command.name}: ${error.message}`));
    return 1;
  }
}

function say(shell: Shell, text: string): number {
  shell.out(text);
  return 0;
}
