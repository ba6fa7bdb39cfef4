import { REPLACED_GAUGES } from '@gatehouse/crds';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export interface ProcessLabels {
  readonly service: string;
  readonly environment: string;
  /** Whether the metrics of the process itself are collected. */
  readonly runtime: boolean;
}

/** Before the names of the metrics of the process. */
export const PROCESS_PREFIX = 'gatehouse_';

/** A registry whose metrics all say which process they are from. */
export function createProcessRegistry({ service, environment, runtime }: ProcessLabels): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ app: service, env: environment });
  if (runtime) collectProcessMetrics(registry);
  return registry;
}

function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, prefix: PROCESS_PREFIX });
  for (const { name, help, replaces, aggregator } of REPLACED_GAUGES) {
    const replaced = registry.getSingleMetric(PROCESS_PREFIX + replaces);
    if (replaced === undefined) continue; // not of every platform
    registry.removeSingleMetric(PROCESS_PREFIX + replaces);
    new Gauge({
      name: PROCESS_PREFIX + name,
      help,
      aggregator,
      registers: [registry],
      async collect() {
        const { values } = await replaced.get();
        this.set(values[0]?.value ?? 0);
      },
    });
  }
}
