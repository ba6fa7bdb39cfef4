/** Log lines of a worker on their way to the parent, which alone writes them: lines of two processes would mix. */

export interface LogChannel {
  write(line: string): void;
  /** Sends what is held; resolves when it has left this process. */
  flush(): Promise<void>;
}

/** Characters that have not left this process; further lines are left out, and their number is logged. */
const MAX_CHARS = 8 * 1024 * 1024;

/** `send` gets the whole lines of one turn of the event loop. */
export function createLogChannel(
  send: (text: string, onSent: () => void) => void,
  maxChars: number = MAX_CHARS,
): LogChannel {
  let held = '';
  let underWay = 0;
  let leftOut = 0;

  const flush = (): Promise<void> =>
    new Promise((resolve) => {
      const text = held;
      held = '';
      underWay += text.length;
      send(text, () => {
        underWay -= text.length;
        resolve();
      });
    });
  const add = (line: string): void => {
    if (held === '') setImmediate(flush);
    held += line;
  };
  return {
    flush,
    write: (line) => {
      if (underWay + held.length + line.length > maxChars) {
        leftOut += 1;
        return;
      }
      if (leftOut > 0) add(`${JSON.stringify({ level: 'warn', lines: leftOut, msg: 'Log lines were left out' })}\n`);
      leftOut = 0;
      add(line);
    },
  };
}
