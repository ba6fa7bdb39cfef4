/** A request log in memory, for tests of what is given to it. */
import type { GatewayOptions } from '@gatehouse/gateway';
import { waitFor } from './wait-for.ts';

type RequestLog = NonNullable<GatewayOptions['requestLog']>;
export type LogRecord = Parameters<RequestLog['add']>[0];

export type LogFeedback = Parameters<RequestLog['addFeedback']>[0];

export interface MemoryLog extends RequestLog {
  readonly feedback: readonly LogFeedback[];
  readonly records: readonly LogRecord[];
  /** The records of the next request that has a final row, taken out. */
  next(): Promise<readonly LogRecord[]>;
}

export function memoryLog(): MemoryLog {
  const records: LogRecord[] = [];
  const feedback: LogFeedback[] = [];
  return {
    ...{ records, feedback },
    isKept: () => true,
    admits: () => 'now',
    admitsFeedback: () => 'now',
    add: (record) => void records.push(record),
    addFeedback: (given) => void feedback.push(given),
    isBusy: () => false,
    close: async () => undefined,
    next: async () => {
      const last = await waitFor(
        () => {
          const final = records.find(({ row }) => row.is_final)?.row;
          return final && records.findLastIndex(({ row }) => row.request_id === final.request_id) + 1;
        },
        { what: 'a final row' },
      );
      return records.splice(0, last);
    },
  };
}
