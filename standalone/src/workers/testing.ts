/** A worker process that only says what a test makes it say. */
import { PassThrough } from 'node:stream';
import type { Child } from './children.ts';
import type { ParentMessage, WorkerMessage } from './messages.ts';

export interface TestChild extends Child {
  /** The types of the messages it got, and `killed`. */
  readonly got: readonly (ParentMessage['type'] | 'killed')[];
  tell(message: WorkerMessage): void;
  exit(): void;
}

export function createTestChild(id: number): TestChild {
  const got: (ParentMessage['type'] | 'killed')[] = [];
  let onMessage: (message: WorkerMessage) => void = () => undefined;
  let onExit: (reason: number | string) => void = () => undefined;
  return {
    id,
    pid: id,
    got,
    send: async ({ type }) => {
      got.push(type);
    },
    onMessage: (listener) => {
      onMessage = listener;
    },
    onExit: (listener) => {
      onExit = listener;
    },
    log: new PassThrough(),
    kill: () => got.push('killed'),
    tell: (message) => onMessage(message),
    exit: () => onExit('SIGKILL'),
  };
}
