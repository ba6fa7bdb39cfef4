/** How the log of a process that serves is written: for people at a terminal, else for programs. */
import { createStandardOutput, type GatewaySettings } from '@gatehouse/gateway';
import { hasColours } from '../terminal/index.ts';
import { createTerminalLog, type TerminalLog } from '../terminal-log/index.ts';
import type { Invocation, Option } from './command.ts';
import type { Shell } from './shell.ts';

export const LOG_OPTIONS: Readonly<Record<string, Option>> = {
  quiet: { summary: 'logs warnings and errors only, no line per request' },
  'log-format': {
    value: 'text|json',
    summary: 'log for people or for programs; absent: text at a terminal, else json',
    choices: ['text', 'json'],
  },
};

export interface LogChoice {
  /** For people; else lines of JSON. */
  readonly isText: boolean;
  readonly isQuiet: boolean;
}

export const logChoiceOf = (
  options: Invocation['options'],
  { interactive }: Pick<Shell, 'interactive'>,
): LogChoice => ({
  isText: (options['log-format'] ?? (interactive ? 'text' : 'json')) === 'text',
  isQuiet: options['quiet'] !== undefined,
});

/** Levels that have no line per request. */
const QUIET_LEVELS: ReadonlySet<string> = new Set(['warn', 'error', 'silent']);

export const withLog = (settings: GatewaySettings, { isText, isQuiet }: LogChoice): GatewaySettings => ({
  ...settings,
  logLevel: isQuiet && !QUIET_LEVELS.has(settings.logLevel) ? 'warn' : settings.logLevel,
  logReasons: isText,
});

/** Standard output, for whole lines of the log as the logger writes them. */
export function openLog(
  { isText }: LogChoice,
  { logLevel }: Pick<GatewaySettings, 'logLevel'>,
  { variables, interactive }: Pick<Shell, 'variables' | 'interactive'>,
): TerminalLog {
  const output = createStandardOutput();
  if (!isText) return output;
  return createTerminalLog({
    colours: hasColours(interactive, variables),
    requests: !QUIET_LEVELS.has(logLevel),
    write: (text) => output.write(text),
  });
}
