/**
 * The metrics of a process, which every component exposes behind its own prefix. They are those of prom-client, which names
 * three gauges like counters and leaves the start time out of sums over several processes.
 */

export interface ProcessMetric {
  /** Without the prefix. */
  readonly name: string;
  readonly help: string;
}

export interface ReplacedGauge extends ProcessMetric {
  /** The gauge of prom-client that it replaces, without the prefix. */
  readonly replaces: string;
  /** Its value for several processes that serve together. */
  readonly aggregator: 'sum' | 'min';
}

/** Gauges that replace gauges of prom-client. */
export const REPLACED_GAUGES: readonly ReplacedGauge[] = [
  {
    name: 'process_start_time_seconds',
    help: 'Start time of the process in seconds since 1970',
    replaces: 'process_start_time_seconds',
    aggregator: 'min',
  },
  {
    name: 'nodejs_handles',
    help: 'Open handles of libuv, such as sockets and timers',
    replaces: 'nodejs_active_handles_total',
    aggregator: 'sum',
  },
  {
    name: 'nodejs_pending_requests',
    help: 'Operations that libuv has not finished, such as look-ups of names',
    replaces: 'nodejs_active_requests_total',
    aggregator: 'sum',
  },
  {
    name: 'nodejs_resources',
    help: 'Resources that keep the event loop alive',
    replaces: 'nodejs_active_resources_total',
    aggregator: 'sum',
  },
];

/** Those that operators of a process look at. */
export const PROCESS_METRICS: readonly ProcessMetric[] = [
  { name: 'process_cpu_seconds_total', help: 'CPU time of the process in seconds' },
  { name: 'process_resident_memory_bytes', help: 'Resident memory of the process' },
  ...REPLACED_GAUGES,
  { name: 'process_open_fds', help: 'Open file descriptors' },
  { name: 'process_max_fds', help: 'File descriptors that may be open' },
  { name: 'nodejs_eventloop_lag_p99_seconds', help: 'Delay of the event loop since the last scrape, 99th percentile' },
  { name: 'nodejs_eventloop_lag_max_seconds', help: 'Longest delay of the event loop since the last scrape' },
  { name: 'nodejs_heap_size_used_bytes', help: 'Memory that objects take up' },
  { name: 'nodejs_gc_duration_seconds', help: 'Duration of garbage collections, by kind' },
  { name: 'nodejs_version_info', help: 'Version of Node, as labels' },
];
