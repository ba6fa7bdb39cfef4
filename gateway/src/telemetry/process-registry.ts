import { collectDefaultMetrics, Registry } from 'prom-client';

export interface ProcessLabels {
  readonly service: string;
  readonly environment: string;
  /** Whether the metrics of the process itself are collected. */
  readonly runtime: boolean;
}

/** A registry whose metrics all say which process they are from. */
export function createProcessRegistry({ service, environment, runtime }: ProcessLabels): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ app: service, env: environment });
  if (runtime) collectDefaultMetrics({ register: registry, prefix: 'gatehouse_' });
  return registry;
}
