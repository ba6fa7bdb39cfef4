import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { CallReport } from '../client/index.ts';
import { type ControllerMetrics, RUN_OUTCOMES } from '../controller/index.ts';
import { EVENT_OUTCOMES, type EventOutcome } from '../events/index.ts';
import type { Cache } from '../reflector/index.ts';
import { STATUS_OUTCOMES, type StatusOutcome } from '../status-writer/index.ts';

const RUN_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const WAIT_SECONDS = [0.001, 0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 300];

/**
 * Every metric of the runtime with its help text and labels; values of labels come from the operator and the API only.
 */
export const RUNTIME_METRICS = {
  reconciles: {
    name: 'gatehouse_operator_reconciles_total',
    help: 'Runs of controllers, by how they ended',
    labelNames: ['controller', 'outcome'],
  },
  duration: {
    name: 'gatehouse_operator_reconcile_duration_seconds',
    help: 'Time a run of a controller took',
    labelNames: ['controller'],
  },
  errors: {
    name: 'gatehouse_operator_reconcile_errors_total',
    help: 'Runs of controllers that failed, by reason; passing conflicts included',
    labelNames: ['controller', 'reason'],
  },
  depth: {
    name: 'gatehouse_operator_queue_depth',
    help: 'Objects that wait for a worker',
    labelNames: ['controller'],
  },
  waited: {
    name: 'gatehouse_operator_queue_wait_seconds',
    help: 'Time an object waited for a worker',
    labelNames: ['controller'],
  },
  cacheAge: {
    name: 'gatehouse_operator_cache_age_seconds',
    help: 'Time since something was read for the cache of a resource; about a minute at most while the watch works',
    labelNames: ['resource'],
  },
  cacheSynced: {
    name: 'gatehouse_operator_cache_synced',
    help: '1 when the cache of a resource has been complete',
    labelNames: ['resource'],
  },
  leads: { name: 'gatehouse_operator_lease_held', help: '1 while this process leads', labelNames: [] },
  calls: {
    name: 'gatehouse_operator_api_calls_total',
    help: 'Calls to the API server, by verb and status; 0 without an answer',
    labelNames: ['verb', 'code'],
  },
  callDuration: {
    name: 'gatehouse_operator_api_call_duration_seconds',
    help: 'Time until the answer of the API server was read; of a watch, until it began',
    labelNames: ['verb'],
  },
  statuses: {
    name: 'gatehouse_operator_status_writes_total',
    help: 'Statuses, by what came of them',
    labelNames: ['outcome'],
  },
  events: {
    name: 'gatehouse_operator_events_total',
    help: 'Events, by what came of them',
    labelNames: ['outcome'],
  },
} as const;

/** Callbacks for the parts of the runtime. */
export interface RuntimeMetrics {
  readonly controllers: ControllerMetrics;
  readonly onCall: (report: CallReport) => void;
  readonly onLease: (leads: boolean) => void;
  readonly onStatus: (outcome: StatusOutcome) => void;
  readonly onEvent: (outcome: EventOutcome) => void;
  /** Reads age and state of a cache when metrics are scraped. */
  observeCache(cache: Pick<Cache, 'health'>): void;
}

/** Registers the metrics; counters start with zero for every known label. */
export function createRuntimeMetrics(registry: Registry): RuntimeMetrics {
  const registers = [registry];
  const calls = new Counter({ ...RUNTIME_METRICS.calls, registers });
  const callDuration = new Histogram({ ...RUNTIME_METRICS.callDuration, registers, buckets: RUN_SECONDS });
  const statuses = new Counter({ ...RUNTIME_METRICS.statuses, registers });
  const events = new Counter({ ...RUNTIME_METRICS.events, registers });
  const leads = new Gauge({ ...RUNTIME_METRICS.leads, registers });
  for (const outcome of STATUS_OUTCOMES) statuses.inc({ outcome }, 0);
  for (const outcome of EVENT_OUTCOMES) events.inc({ outcome }, 0);
  leads.set(0);
  return {
    controllers: controllerMetrics(registry),
    onCall: ({ verb, code, seconds }) => {
      calls.inc({ verb, code });
      callDuration.observe({ verb }, seconds);
    },
    onLease: (held) => leads.set(held ? 1 : 0),
    onStatus: (outcome) => statuses.inc({ outcome }),
    onEvent: (outcome) => events.inc({ outcome }),
    observeCache: (cache) => observeCache(registry, cache),
  };
}

function controllerMetrics(registry: Registry): ControllerMetrics {
  const registers = [registry];
  const queues = new Map<string, { readonly depth: number }>();
  const reconciles = new Counter({ ...RUNTIME_METRICS.reconciles, registers });
  const duration = new Histogram({ ...RUNTIME_METRICS.duration, registers, buckets: RUN_SECONDS });
  const waited = new Histogram({ ...RUNTIME_METRICS.waited, registers, buckets: WAIT_SECONDS });
  const errors = new Counter({ ...RUNTIME_METRICS.errors, registers });
  const depth = new Gauge({
    ...RUNTIME_METRICS.depth,
    registers,
    collect: () => {
      for (const [controller, queue] of queues) depth.set({ controller }, queue.depth);
    },
  });
  return {
    observeQueue: (controller, queue) => {
      queues.set(controller, queue);
      for (const outcome of RUN_OUTCOMES) reconciles.inc({ controller, outcome }, 0);
      duration.zero({ controller });
      waited.zero({ controller });
    },
    reconciled: ({ controller, outcome, failure, seconds, waitedSeconds }) => {
      reconciles.inc({ controller, outcome });
      duration.observe({ controller }, seconds);
      waited.observe({ controller }, waitedSeconds);
      if (failure !== undefined) errors.inc({ controller, reason: failure });
    },
  };
}

/** One series per resource: the worst of its namespaces. */
function observeCache(registry: Registry, cache: Pick<Cache, 'health'>): void {
  const registers = [registry];
  const age = new Gauge({
    ...RUNTIME_METRICS.cacheAge,
    registers,
    collect: () => {
      age.reset();
      const worst = new Map<string, number>();
      for (const { resource, ageMs } of cache.health()) {
        if (ageMs !== undefined) worst.set(resource, Math.max(worst.get(resource) ?? 0, ageMs));
      }
      for (const [resource, ageMs] of worst) age.set({ resource }, ageMs / 1_000);
    },
  });
  const complete = new Gauge({
    ...RUNTIME_METRICS.cacheSynced,
    registers,
    collect: () => {
      const states = Map.groupBy(cache.health(), ({ resource }) => resource);
      for (const [resource, all] of states) complete.set({ resource }, all.every(({ synced }) => synced) ? 1 : 0);
    },
  });
}
