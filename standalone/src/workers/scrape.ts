/** The metrics of all workers in one text. */
import type { MetricReport, MetricsSum } from '@gatehouse/gateway';
import { createRound } from './round.ts';
import type { Worker } from './worker.ts';

export interface Scrape {
  /** Prometheus text over all processes; a worker that is late counts with its last report. Never rejects. */
  text(): Promise<string>;
  onReport(worker: Pick<Worker, 'id'>, report: MetricReport): void;
  /** A worker has ended and will not report. */
  onExit(worker: Pick<Worker, 'id'>): void;
}

export function createScrape(
  metrics: MetricsSum,
  workers: () => readonly Pick<Worker, 'id' | 'requestReport'>[],
): Scrape {
  const round = createRound(workers, (worker) => worker.requestReport());
  return {
    text: async () => {
      await round.ask();
      return metrics.text();
    },
    onReport: ({ id }, report) => {
      metrics.put(id, report);
      round.settle(id);
    },
    onExit: ({ id }) => round.settle(id),
  };
}
