/** A request body has to arrive at a least rate: a client that sends a byte now and then would hold a connection for hours. */
import { AppError } from '../../errors/index.ts';

export interface ProgressRule {
  /** Longest wait for the next bytes in ms, and the time after which the rate counts; 0: forever. */
  readonly idleMs: number;
  /** Least average rate over the time spent waiting for the client. */
  readonly minBytesPerSecond: number;
}

export interface ProgressWatch {
  /** A read waits for bytes from now on. */
  wait(): void;
  /** The wait is over. */
  arrived(bytes: number): void;
  stop(): void;
}

/** Calls `onStalled` once, with BODY_STALLED, when a wait takes too long. Only waits count: a slow reader is not the client's fault. */
export function watchProgress(
  { idleMs, minBytesPerSecond }: ProgressRule,
  onStalled: (error: AppError) => void,
): ProgressWatch {
  let timer: NodeJS.Timeout | undefined;
  let sinceMs = 0;
  let waitedMs = 0;
  let received = 0;
  const stalled = (): void => {
    const seconds = Math.round((waitedMs + performance.now() - sinceMs) / 1000);
    const detail = `The request body came too slowly: ${received} bytes in ${seconds} s; at least ${minBytesPerSecond} bytes per second are expected, and no pause longer than ${idleMs} ms`;
    onStalled(new AppError('BODY_STALLED', { detail }));
  };
  return {
    wait: () => {
      if (idleMs === 0) return;
      sinceMs = performance.now();
      const earnedMs = minBytesPerSecond === 0 ? Number.POSITIVE_INFINITY : (received * 1_000) / minBytesPerSecond;
      timer = setTimeout(stalled, Math.max(0, Math.min(idleMs, idleMs + earnedMs - waitedMs)));
    },
    arrived: (bytes) => {
      clearTimeout(timer);
      waitedMs += performance.now() - sinceMs;
      received += bytes;
    },
    stop: () => clearTimeout(timer),
  };
}
