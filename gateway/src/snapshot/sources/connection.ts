import type { SourceOptions } from './source.ts';

export interface Connection {
  readonly connected: boolean;
  /** Why it is not connected. */
  readonly problem: string | undefined;
  up(): void;
  down(error: unknown): void;
}

/** Tracks whether the control plane answers. Reports and logs changes, not every try. */
export function createConnection(
  peer: string,
  { log, onConnected }: Pick<SourceOptions, 'log' | 'onConnected'>,
): Connection {
  let connected = false;
  let problem: string | undefined;
  return {
    get connected() {
      return connected;
    },
    get problem() {
      return problem;
    },
    up: () => {
      problem = undefined;
      if (connected) return;
      connected = true;
      log.info({ peer }, 'Connected');
      onConnected(true);
    },
    down: (error) => {
      const before = problem;
      problem = error instanceof Error ? describe(error) : 'unknown';
      if (connected || before !== problem) log.warn({ peer, problem }, 'Not connected');
      if (!connected) return;
      connected = false;
      onConnected(false);
    },
  };
}

const describe = (error: Error): string =>
  'code' in error ? `${String(error.code)}: ${error.message}` : error.message;
