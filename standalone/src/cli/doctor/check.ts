/** What a check of `gatehouse doctor` found. */
import { type Style, toPrintable } from '../../terminal/index.ts';

export interface Check {
  /** `failed`: something will not work. `unknown`: it could not be told. */
  readonly status: 'ok' | 'unknown' | 'failed';
  /** What was looked at, in a word. */
  readonly subject: string;
  readonly text: string;
  /** Shown below, indented. */
  readonly details?: readonly string[];
}

export const okay = (subject: string, text: string): Check => ({ status: 'ok', subject, text });
export const failed = (subject: string, text: string): Check => ({ status: 'failed', subject, text });
export const unknown = (subject: string, text: string): Check => ({ status: 'unknown', subject, text });

const STATUS_CHARS = 'unknown'.length;
const SUBJECT_CHARS = 'resources'.length;

/** The lines of a check. */
export function checkLines({ status, subject, text, details = [] }: Check, style: Style): readonly string[] {
  const paint = { ok: style.green, unknown: style.yellow, failed: style.red }[status];
  const head = `${paint(status.padEnd(STATUS_CHARS))}  ${subject.padEnd(SUBJECT_CHARS)}  ${toPrintable(text)}`;
  return [head, ...details.map((line) => `${' '.repeat(STATUS_CHARS + 2)}${toPrintable(line)}`)];
}
