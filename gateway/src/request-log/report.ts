/** Lines of the service log about the request log. */
import type { Logger } from '../telemetry/index.ts';

interface ReportOptions {
  readonly store: { readonly name: string };
  readonly logger: Logger;
}

/** Failures between two lines of the log are only counted. */
const LOG_EVERY_MS = 60_000;

/** One line when writing begins to fail, one a minute while it does, one when it works again. */
export function createReport({ store, logger }: ReportOptions, words: { readonly good: string; readonly bad: string }) {
  let failing = false;
  let loggedMs = Number.NEGATIVE_INFINITY;
  let dropped = 0;
  return {
    good: (): void => {
      if (!failing) return;
      failing = false;
      logger.info({ store: store.name }, words.good);
    },
    bad: (what: { readonly dropped: number; readonly reason: string }, error: unknown): void => {
      failing = true;
      dropped += what.dropped;
      const nowMs = performance.now();
      if (nowMs - loggedMs < LOG_EVERY_MS) return;
      loggedMs = nowMs;
      logger.warn({ err: error, store: store.name, dropped, reason: what.reason }, words.bad);
      dropped = 0;
    },
  };
}
