import type { CancelSignal } from '../../lib/cancellation.ts';

/** Resolves after the time, or when the signal is cancelled. */
export function waitFor(ms: number, signal: CancelSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.offCancel(end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.onCancel(end);
  });
}
