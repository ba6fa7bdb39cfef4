import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type Shell, UsageError } from './shell.ts';

export interface Option {
  /** Placeholder of the value in the help; absent: a switch without a value. */
  readonly value?: string;
  readonly summary: string;
  readonly default?: string;
}

export interface Invocation {
  readonly shell: Shell;
  /** Values by option name; defaults are filled in. */
  readonly options: Readonly<Record<string, string | undefined>>;
  readonly operands: readonly string[];
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Placeholder of the operands, e.g. `FILE|DIR...`; absent: no operands. */
  readonly operands?: string;
  readonly options: Readonly<Record<string, Option>>;
  /** Resolves to the exit status. */
  run(invocation: Invocation): Promise<number>;
}

/** Parses the arguments of a command. Throws UsageError. */
export function parseInvocation(command: Command, args: readonly string[], shell: Shell): Invocation {
  const { values, positionals } = parse(command, args);
  if (command.operands === undefined && positionals.length > 0) {
    throw new UsageError(`${command.name} takes no ${positionals[0]}`);
  }
  if (command.operands !== undefined && positionals.length === 0)
    throw new UsageError(`${command.operands} is missing`);
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, option]) => [name, textOf(values[name]) ?? option.default]),
  );
  return { shell, options, operands: positionals };
}

function parse({ options }: Command, args: readonly string[]) {
  const config: NonNullable<ParseArgsConfig['options']> = Object.fromEntries(
    Object.entries(options).map(([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }]),
  );
  try {
    return parseArgs({ args: [...args], options: config, allowPositionals: true, strict: true });
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw new UsageError(line);
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** A port of the command line. Throws UsageError. */
export function portOf(name: string, text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--${name} takes a port number, not ${text}`);
}

/** The help of a command. */
export function describeCommand({ name, summary, operands, options }: Command): string {
  const all: Readonly<Record<string, Option>> = { ...options, help: { summary: 'shows this' } };
  const rows = Object.entries(all).map(
    ([option, { value, summary: text, default: given }]) =>
      [
        `  --${option}${value === undefined ? '' : ` ${value}`}`,
        given === undefined ? text : `${text} (${given})`,
      ] as const,
  );
  const width = Math.max(...rows.map(([left]) => left.length));
  const usage = `gatehouse ${name} [options]${operands === undefined ? '' : ` ${operands}`}`;
  return [
    `gatehouse ${name} ${summary}.`,
    '',
    `Usage: ${usage}`,
    '',
    ...rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`),
  ].join('\n');
}
