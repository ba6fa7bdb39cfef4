const NEWLINE = 0x0a;

export class LineTooLongError extends Error {
  override readonly name = 'LineTooLongError';
}

export interface LineReader {
  /** Decoded lines that these bytes complete, as UTF-8. Throws LineTooLongError; unusable afterwards. */
  push(bytes: Uint8Array): string[];
}

/** Splits a byte stream at newlines. A line that never ends is an error: `maxBytes` bounds what is held. */
export function createLineReader(maxBytes: number): LineReader {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  const hold = (bytes: Uint8Array): void => {
    heldBytes += bytes.length;
    if (heldBytes > maxBytes) throw new LineTooLongError(`a line is longer than ${maxBytes} bytes`);
    if (bytes.length > 0) held.push(bytes);
  };
  const release = (): string => {
    const line = Buffer.concat(held, heldBytes).toString('utf8');
    held = [];
    heldBytes = 0;
    return line;
  };
  return {
    push: (bytes) => {
      const lines: string[] = [];
      let start = 0;
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
        hold(bytes.subarray(start, end));
        const line = release();
        if (line !== '') lines.push(line);
        start = end + 1;
      }
      hold(bytes.subarray(start));
      return lines;
    },
  };
}
