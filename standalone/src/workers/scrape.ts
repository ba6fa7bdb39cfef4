/** The metrics of all workers in one text. */
import type { MetricReport, MetricsSum } from '@gatehouse/gateway';
import type { Worker } from './worker.ts';

export interface Scrape {
  /** Prometheus text over all processes; scrapes at the same time share one. Never rejects. */
  text(): Promise<string>;
  onReport(worker: Pick<Worker, 'id'>, report: MetricReport): void;
  /** A worker has ended and will not report. */
  onExit(worker: Pick<Worker, 'id'>): void;
}

/** Longest wait for the reports in ms; a worker that is late counts with its last one. */
const REPORT_MS = 2_000;

export function createScrape(
  metrics: MetricsSum,
  workers: () => readonly Pick<Worker, 'id' | 'requestReport'>[],
): Scrape {
  const missing = new Set<number>();
  let onComplete: (() => void) | undefined;
  let running: Promise<string> | undefined;

  const settle = (id: number): void => {
    missing.delete(id);
    if (missing.size === 0) onComplete?.();
  };
  const collect = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, REPORT_MS);
      onComplete = () => {
        clearTimeout(timer);
        resolve();
      };
      missing.clear();
      for (const worker of workers()) {
        missing.add(worker.id);
        worker.requestReport();
      }
      if (missing.size === 0) onComplete();
    });
  const run = async (): Promise<string> => {
    await collect();
    running = undefined;
    return metrics.text();
  };

  return {
    text: () => {
      running ??= run();
      return running;
    },
    onReport: ({ id }, report) => {
      metrics.put(id, report);
      settle(id);
    },
    onExit: ({ id }) => settle(id),
  };
}
