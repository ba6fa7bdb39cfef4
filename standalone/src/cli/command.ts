import { type ParseArgsConfig, parseArgs } from 'node:util';
import { createSuggestions, didYouMean } from '@gatehouse/crds';
import { type Shell, UsageError } from './shell.ts';

export interface Option {
  /** Placeholder of the value in the help; absent: a switch without a value. */
  readonly value?: string;
  /** One letter, for the same option behind one dash. */
  readonly short?: string;
  readonly summary: string;
  readonly default?: string;
  /** The only values. */
  readonly choices?: readonly string[];
  /** What a shell completes the value with; nothing when absent. */
  readonly completes?: 'folders' | 'files';
}

export interface Example {
  /** What the command line is for, as the end of `to …`. */
  readonly purpose: string;
  readonly line: string;
}

export interface Invocation {
  readonly shell: Shell;
  /** Values by option name; defaults are filled in. A switch that is set has the value `true`. */
  readonly options: Readonly<Record<string, string | undefined>>;
  readonly operands: readonly string[];
}

export interface Operands {
  /** Placeholder in the help, e.g. `FILE|DIR...`. */
  readonly value: string;
  /** The only values. */
  readonly choices?: readonly string[];
  /** The only values of the first one, which says what is done with the others. */
  readonly actions?: readonly string[];
  /** They may be left out. */
  readonly optional?: true;
  /** Kinds of the management API, in lower case. */
  readonly kinds?: readonly string[];
  /** Only the first one is a Kind, the others are names of its objects. */
  readonly named?: true;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Further lines of the help, e.g. what the exit status says. */
  readonly notes?: readonly string[];
  /** Absent: no operands. */
  readonly operands?: Operands;
  readonly options: Readonly<Record<string, Option>>;
  /** Run by a test from a checkout. */
  readonly examples: readonly Example[];
  /** Resolves to the exit status. */
  run(invocation: Invocation): Promise<number>;
}

/** Parses the arguments of a command. Throws UsageError. */
export function parseInvocation(command: Command, args: readonly string[], shell: Shell): Invocation {
  const { values, positionals } = parse(command, args);
  const { operands } = command;
  if (operands === undefined && positionals.length > 0) {
    throw new UsageError(`${command.name} takes no ${positionals[0]}`);
  }
  if (operands !== undefined && operands.optional !== true && positionals.length === 0)
    throw new UsageError(`${operands.value} is missing`);
  for (const operand of positionals) checkChoice(operand, operands?.choices);
  checkChoice(positionals[0] ?? '', operands?.actions);
  const options = Object.entries(command.options).map(([name, option]) => {
    const value = textOf(values[name]) ?? option.default;
    if (value !== undefined) checkChoice(value, option.choices, `--${name} `);
    return [name, value] as const;
  });
  return { shell, options: Object.fromEntries(options), operands: positionals };
}

function checkChoice(value: string, choices: readonly string[] | undefined, where = ''): void {
  if (choices === undefined || choices.includes(value)) return;
  throw new UsageError(`${where}takes ${choices.join(' or ')}, not ${value}`);
}

function parse({ options }: Command, args: readonly string[]) {
  const config: NonNullable<ParseArgsConfig['options']> = Object.fromEntries(
    Object.entries(options).map(([name, { value, short }]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', ...(short === undefined ? {} : { short }) },
    ]),
  );
  try {
    return parseArgs({ args: [...args], options: config, allowPositionals: true, strict: true });
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw new UsageError(`${line}${suggestionFor(line, Object.keys(options))}`);
  }
}

/** The option that an unknown one is nearly. */
function suggestionFor(message: string, known: readonly string[]): string {
  const unknown = /^Unknown option '--([^']+)'/.exec(message)?.[1];
  const near = unknown === undefined ? undefined : createSuggestions()(unknown, known);
  return didYouMean(near === undefined ? undefined : `--${near}`);
}

function textOf(value: unknown): string | undefined {
  if (value === true) return 'true';
  return typeof value === 'string' ? value : undefined;
}

/** A port of the command line. Throws UsageError. */
export function portOf(name: string, text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--${name} takes a port number, not ${text}`);
}
