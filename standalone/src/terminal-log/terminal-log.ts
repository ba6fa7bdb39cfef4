/**
 * Turns the lines of the JSON log into lines for people. It stands behind the logger, so that the log of workers passes it too, and
 * that a log that nobody reads at a terminal costs what it always did.
 */
import { isObject, parseJson } from '@gatehouse/crds';
import { createStyle, toPrintable } from '../terminal/index.ts';
import { causeLines, eventLines, problemLine } from './event-line.ts';
import type { LogLine } from './line.ts';
import { requestLine } from './request-line.ts';

export interface TerminalLogOptions {
  readonly colours: boolean;
  /** Whether the log has a line for each request; then the lines of their errors say only what is missing there. */
  readonly requests: boolean;
  /** Writes whole lines. */
  write(text: string): void;
}

export interface TerminalLog {
  /** Takes whole lines of the JSON log. */
  write(text: string): void;
}

export function createTerminalLog({ colours, requests, write }: TerminalLogOptions): TerminalLog {
  const style = createStyle(colours);
  const linesOf = (line: LogLine): readonly string[] => {
    switch (line['msg']) {
      case 'Request finished':
        return [requestLine(line, style)];
      case 'Request failed':
        return requests ? causeLines(line, style) : eventLines(line, style);
      case 'Resource was refused':
        return [problemLine(line, style)];
      default:
        return eventLines(line, style);
    }
  };
  return {
    write: (text) => {
      const lines = text
        .split('\n')
        .filter((line) => line !== '')
        .flatMap((line) => {
          const parsed = read(line);
          return parsed === undefined ? [toPrintable(line)] : linesOf(parsed);
        });
      if (lines.length > 0) write(`${lines.join('\n')}\n`);
    },
  };
}

/** Undefined for what is no line of the log, such as a part of one whose process crashed. */
function read(line: string): LogLine | undefined {
  try {
    const value: unknown = parseJson(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
