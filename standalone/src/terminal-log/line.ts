/** A line of the JSON log; its members come from clients and providers, too. */
import { toShort } from '../terminal/index.ts';

export type LogLine = Readonly<Record<string, unknown>>;

/** Longest value of a member that is shown, in characters. */
const MAX_CHARS = 200;

/** A member as text that is safe for a terminal; empty where it is missing. */
export function textOf(line: LogLine, name: string, maxChars: number = MAX_CHARS): string {
  const value = line[name];
  if (value === undefined || value === null) return '';
  return toShort(typeof value === 'object' ? JSON.stringify(value) : String(value), maxChars);
}

export function numberOf(line: LogLine, name: string): number | undefined {
  const value = line[name];
  return typeof value === 'number' ? value : undefined;
}

/** The local time of the line, to the second. */
export function clockOf(line: LogLine): string {
  const time = new Date(textOf(line, 'time'));
  if (Number.isNaN(time.getTime())) return '--:--:--';
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}
