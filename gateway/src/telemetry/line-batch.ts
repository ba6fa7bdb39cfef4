import type { DestinationStream } from 'pino';

export interface LineBatch extends DestinationStream {
  /** Writes the lines that are held, e.g. before the process ends. */
  flush(): void;
}

/** Characters that are held at most: more are written at once. */
const MAX_CHARS = 64 * 1024;

/** Writes the log lines of one turn of the event loop together: one system call for many requests. */
export function batchLines(write: (text: string) => void): LineBatch {
  let waiting = '';
  let scheduled = false;
  const flush = (): void => {
    if (waiting === '') return;
    const text = waiting;
    waiting = '';
    write(text);
  };
  const onTurn = (): void => {
    scheduled = false;
    flush();
  };
  return {
    write: (line) => {
      waiting += line;
      if (waiting.length > MAX_CHARS) flush();
      if (scheduled) return;
      scheduled = true;
      setImmediate(onTurn);
    },
    flush,
  };
}
