/** The help of the command line and of each command. */
import type { Command, Example, Option } from './command.ts';

/** The help of all commands. */
export function describeAll(commands: readonly Command[]): string {
  return [
    'An AI gateway from a folder of Kubernetes resources, without a cluster.',
    '',
    'Usage: gatehouse COMMAND [options]',
    '',
    ...inColumns(commands.map(({ name, summary }) => [name, summary])),
    '',
    ...inColumns([
      ['help COMMAND', 'shows the options and examples of a command, as COMMAND --help'],
      ['--version', 'shows the version'],
      ['--help', 'shows this'],
    ]),
    '',
    'Examples:',
    '',
    ...commands.flatMap(({ examples }) => exampleLines(examples.slice(0, 1))),
  ].join('\n');
}

/** The help of a command. */
export function describeCommand({ name, summary, notes = [], operands, options, examples }: Command): string {
  const all: Readonly<Record<string, Option>> = { ...options, help: { summary: 'shows this' } };
  const usage = `gatehouse ${name} [options]${operands === undefined ? '' : ` ${operands.value}`}`;
  return [
    `gatehouse ${name} ${summary}.`,
    '',
    `Usage: ${usage}`,
    '',
    ...inColumns(
      Object.entries(all).map(([option, { value, short, summary: text, default: given }]) => [
        `${short === undefined ? '' : `-${short}, `}--${option}${value === undefined ? '' : ` ${value}`}`,
        given === undefined ? text : `${text} (${given})`,
      ]),
    ),
    ...(notes.length === 0 ? [] : ['', ...notes]),
    '',
    'Examples:',
    '',
    ...exampleLines(examples),
  ].join('\n');
}

const exampleLines = (examples: readonly Example[]): string[] =>
  examples.flatMap(({ purpose, line }) => [`  # ${purpose}`, `  ${line}`]);

function inColumns(rows: readonly (readonly [left: string, right: string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
