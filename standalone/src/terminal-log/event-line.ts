/** Every other line of the log: an event of the process. */
import { isObject } from '@gatehouse/crds';
import { type Style, toShort } from '../terminal/index.ts';
import { clockOf, type LogLine, textOf } from './line.ts';

/** Members that are shown elsewhere in the line, or say nothing at a terminal. */
const LEFT_OUT: ReadonlySet<string> = new Set(['level', 'time', 'service', 'msg', 'err', 'traceId', 'spanId']);
const MAX_STACK_LINES = 8;
const MAX_STACK_CHARS = 200;
/** Causes of causes that are shown. */
const MAX_CAUSES = 4;
const INDENT = '         ';

/** The time, the level where it is not information, the message and the members; below it an error with its causes. */
export function eventLines(line: LogLine, style: Style): readonly string[] {
  const members = Object.keys(line)
    .filter((name) => !LEFT_OUT.has(name) && !isEmptyList(line[name]))
    .map((name) => `${toShort(name, 40)}=${textOf(line, name)}`);
  const head = [style.dim(clockOf(line)), level(line, style), textOf(line, 'msg'), style.dim(members.join(' '))];
  return [head.filter((part) => part !== '').join(' '), ...errorLines(line['err'], style)];
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** A resource with a problem, as `gatehouse validate` shows it. */
export function problemLine(line: LogLine, style: Style): string {
  const place = ['file', 'line', 'column'].map((name) => textOf(line, name)).join(':');
  const rest = ['object', 'path', 'problem'].map((name) => textOf(line, name)).filter((part) => part !== '');
  const follow = textOf(line, 'consequences');
  const text = [style.bold(place), ...rest].join(': ');
  return `${style.dim(clockOf(line))} ${level(line, style)} ${text}${follow === '' ? '' : style.dim(` (${follow} more follow from it)`)}`;
}

/** What the line of a request does not say about its error: causes, and the stack of one that was not foreseen. */
export const causeLines = (line: LogLine, style: Style): readonly string[] => errorLines(line['err'], style).slice(1);

function level(line: LogLine, style: Style): string {
  const name = textOf(line, 'level');
  if (name === 'warn') return style.yellow('WARN');
  if (name === 'error' || name === 'fatal') return style.red(name.toUpperCase());
  return '';
}

/** First the error itself, then its stack or its causes. */
function errorLines(error: unknown, style: Style): string[] {
  if (!isObject(error)) return [];
  const lines = [
    `${INDENT}${[textOf(error, 'code'), textOf(error, 'message')].filter((part) => part !== '').join(': ')}`,
  ];
  lines.push(...stackLines(error).map((text) => style.dim(`${INDENT}  ${text}`)));
  let cause: unknown = error['cause'];
  for (let depth = 0; depth < MAX_CAUSES && isObject(cause); depth += 1) {
    lines.push(`${INDENT}because: ${textOf(cause, 'message')}`);
    cause = cause['cause'];
  }
  return lines;
}

/** Without the first line, which is the message. */
function stackLines({ stack }: LogLine): string[] {
  if (typeof stack !== 'string') return [];
  const lines = stack.split('\n').slice(1, 1 + MAX_STACK_LINES);
  return lines.map((text) => toShort(text.trim(), MAX_STACK_CHARS));
}
