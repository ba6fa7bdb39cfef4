/** The log of a worker as its parent reads it. */
import type { Readable } from 'node:stream';

const LINE_END = 10;
/** Longest line; what is longer is broken into several. */
const MAX_LINE_BYTES = 1024 * 1024;

/** Calls `write` with whole lines, as many as there are. */
export function readLines(log: Readable, write: (text: string) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  log.on('data', (chunk: Buffer) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(LINE_END) + 1;
    if (end > 0) write(bytes.toString('utf8', 0, end));
    rest = bytes.subarray(end);
    if (rest.length > MAX_LINE_BYTES) endLine();
  });
  log.on('end', () => {
    if (rest.length > 0) endLine();
  });
  log.on('error', () => undefined); // the worker has ended

  function endLine(): void {
    write(`${rest.toString()}\n`);
    rest = Buffer.alloc(0);
  }
}
