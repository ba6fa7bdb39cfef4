import { setTimeout } from 'node:timers/promises';
import type { Sink } from '../../../gateway/src/record/index.ts';
import {
  createClickHouseStore,
  createRequestLog,
  createRequestLogSink,
  type RequestLog,
} from '../../../gateway/src/request-log/index.ts';
import type { Logger, Metrics } from '../../../gateway/src/telemetry/index.ts';

export interface MeasuredLog {
  readonly requestLog: RequestLog;
  readonly sink: Sink;
  /** Resolves when all that was recorded is written. */
  settled(): Promise<void>;
}

const POLL_MS = 20;

/** A request log in a ClickHouse at that URL. */
export function openMeasuredLog(url: string, { metrics, logger }: { metrics: Metrics; logger: Logger }): MeasuredLog {
  const store = createClickHouseStore({ url });
  let waiting = 0;
  const log = createRequestLog({
    store: {
      ...store,
      write: async (batch) => {
        await store.write(batch);
        waiting -= batch.records.length;
      },
    },
    maxBytes: 64 * 1024 * 1024,
    retentionMs: () => undefined,
    ...{ metrics, logger, now: Date.now },
  });
  const sink = createRequestLogSink({
    log: {
      ...log,
      add: (record) => {
        waiting += 1;
        log.add(record);
      },
    },
    gatewayVersion: 'bench',
    headersToMask: new Set(),
  });
  return {
    ...{ sink, requestLog: log },
    settled: async () => {
      while (waiting > 0) await setTimeout(POLL_MS);
    },
  };
}
