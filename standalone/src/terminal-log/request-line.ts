/** A finished request in one line. */
import { isObject } from '@gatehouse/crds';
import type { Style } from '../terminal/index.ts';
import { clockOf, type LogLine, numberOf, textOf } from './line.ts';

const MAX_PATH_CHARS = 80;
const MAX_REASON_CHARS = 300;
const MS_PER_SECOND = 1_000;

/** Time, method, path, key, provider and model, status, cache, attempts, duration, tokens, and why it failed. */
export function requestLine(line: LogLine, style: Style): string {
  return [
    style.dim(clockOf(line)),
    `${style.bold(textOf(line, 'method'))} ${textOf(line, 'path', MAX_PATH_CHARS)}`,
    joined('/', textOf(line, 'workspace'), textOf(line, 'key')),
    style.cyan(joined('/', textOf(line, 'provider'), textOf(line, 'model'))),
    status(line, style),
    cache(line, style),
    attempts(line, style),
    duration(line),
    tokens(line),
    reason(line, style),
  ]
    .filter((part) => part !== '')
    .join('  ');
}

const joined = (separator: string, ...parts: readonly string[]): string =>
  parts.filter((part) => part !== '').join(separator);

function status(line: LogLine, style: Style): string {
  const text = textOf(line, 'status');
  const code = Number(text);
  if (code >= 500) return style.red(text);
  return code >= 400 ? style.yellow(text) : style.green(text);
}

function cache(line: LogLine, style: Style): string {
  const verdict = textOf(line, 'cache');
  if (verdict === '' || verdict === 'DISABLED') return '';
  return verdict === 'HIT' ? style.green('cache HIT') : `cache ${verdict}`;
}

/** Targets that were tried, and retries of the last one; nothing where one call was enough. */
function attempts(line: LogLine, style: Style): string {
  const tried = numberOf(line, 'attempts') ?? 0;
  const retries = numberOf(line, 'retries') ?? 0;
  const parts = [
    tried > 1 ? `${tried} attempts` : '',
    retries > 0 ? `${retries} ${retries === 1 ? 'retry' : 'retries'}` : '',
    retries < 0 ? 'all retries used' : '',
    line['attemptsExhausted'] === true ? 'no calls left' : '',
  ];
  return style.yellow(joined(', ', ...parts));
}

function duration(line: LogLine): string {
  const ms = numberOf(line, 'durationMs');
  if (ms === undefined) return '';
  const text = ms < MS_PER_SECOND ? `${Math.round(ms)} ms` : `${(ms / MS_PER_SECOND).toFixed(1)} s`;
  return line['stream'] === true ? `${text} stream` : text;
}

function tokens(line: LogLine): string {
  const counts = line['tokens'];
  if (!isObject(counts)) return '';
  const cached = numberOf(counts, 'cached') ?? 0;
  const note = cached > 0 ? ` (${cached} cached)` : '';
  return `${numberOf(counts, 'input') ?? 0}+${numberOf(counts, 'output') ?? 0} tokens${note}`;
}

/** The gateway's reason; without one, the status is what the provider answered. */
function reason(line: LogLine, style: Style): string {
  const code = textOf(line, 'error');
  if (code !== '') return style.red(joined(': ', code, textOf(line, 'reason', MAX_REASON_CHARS)));
  const failed = (numberOf(line, 'status') ?? 0) >= 400;
  return failed && textOf(line, 'provider') !== '' ? style.red('answered so by the provider') : '';
}
