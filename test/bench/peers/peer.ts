import type { Running } from '../processes.ts';
import type { Target } from '../target.ts';

/** A program under measurement. */
export interface Peer extends Running {
  readonly name: string;
  readonly target: Target;
}

/** A peer that cannot be had here. */
export interface Missing {
  readonly name: string;
  readonly reason: string;
}

/** A peer that did not start. Its reason is one short line: it goes into the table, where output of programs has no place. */
export function missing(name: string, error: unknown): Missing {
  const text = error instanceof Error ? error.message : String(error);
  return { name, reason: text.split(/[:\n]/, 1)[0] ?? '' };
}

/** Where chat completions are taken, by the upstream and by every peer. */
export const CHAT_PATH = '/v1/chat/completions';

/** The origin of a listener on this machine. */
export const originOf = (port: number): string => `http://127.0.0.1:${port}`;

/** A peer of that name on a port of this machine. */
export function createPeer(
  name: string,
  running: Running,
  { headers = {}, ...target }: Partial<Target> & Pick<Target, 'port'>,
): Peer {
  const { pid, stop } = running;
  return { name, pid, stop, target: { host: '127.0.0.1', path: CHAT_PATH, ...target, headers } };
}
