import type { Socket } from 'node:net';

/** Decides which answer is the last one of a kept-alive connection. */
export interface ConnectionPolicy {
  /** Whether the connection closes after the answer to a request that came at `nowMs`, a time of `performance.now()`. */
  isLast(socket: Socket, nowMs: number): boolean;
}

/** Share of the maximum age by which connections differ, so that they do not all end together. */
const JITTER = 0.2;

/** Gives connections a maximum age, so that new pods get their share of the load. */
export function createConnectionPolicy(options: {
  readonly maxAgeMs: number;
  readonly isDraining: () => boolean;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}): ConnectionPolicy {
  const endsAtMs = new WeakMap<Socket, number>();
  return {
    isLast: (socket, nowMs) => {
      if (options.isDraining()) return true;
      const known = endsAtMs.get(socket);
      if (known !== undefined) return nowMs >= known;
      const factor = 1 - JITTER + 2 * JITTER * options.random();
      endsAtMs.set(socket, nowMs + options.maxAgeMs * factor);
      return false;
    },
  };
}
