import type { Socket } from 'node:net';

/** Decides which answer is the last one of a kept-alive connection. */
export interface ConnectionPolicy {
  /** Whether the connection closes after this answer. */
  isLast(socket: Socket): boolean;
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
    isLast: (socket) => {
      if (options.isDraining()) return true;
      const nowMs = performance.now();
      const known = endsAtMs.get(socket);
      if (known !== undefined) return nowMs >= known;
      const factor = 1 - JITTER + 2 * JITTER * options.random();
      endsAtMs.set(socket, nowMs + options.maxAgeMs * factor);
      return false;
    },
  };
}
