/** A request log of so many rows, which are made when they are read. */
import type { LogRow } from '@gatehouse/crds/logs';
import { logRow } from '@gatehouse/test/kit';
import type { ExportSource } from '../../../operator/src/management/index.ts';

const FIRST_MS = Date.UTC(2027, 0, 1);

/** Three rows of each millisecond; the ids tell their order. */
const rowAt = (n: number): LogRow =>
  logRow({ id: idOf(n), created_at: FIRST_MS + Math.floor(n / 3), trace_id: `trace-${n}`, cost_nano: n * 1e7 });

export const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** The newest first. `text`: in each request. */
export function exportSource(
  rows: number,
  beforeRead: () => Promise<void> = async () => undefined,
  text?: string,
): ExportSource {
  return {
    rows: async (_, before, limit) => {
      await beforeRead();
      const from = before === null ? rows - 1 : Number(before.id.slice(-12)) - 1;
      return Array.from({ length: Math.min(limit, from + 1) }, (_, i) => rowAt(from - i));
    },
    content: async ({ id }) => ({ request: { url: '/v1', method: 'POST', body: { about: id, text } } }),
  };
}
