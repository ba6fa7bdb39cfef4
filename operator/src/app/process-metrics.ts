import { REPLACED_GAUGES } from '@gatehouse/crds';
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

export const PROCESS_PREFIX = 'gatehouse_operator_';

/** Registers the metrics of the process: CPU time, memory, start, event loop. */
export function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, prefix: PROCESS_PREFIX });
  for (const { name, help, replaces } of REPLACED_GAUGES) {
    const replaced = registry.getSingleMetric(PROCESS_PREFIX + replaces);
    if (replaced === undefined) continue; // not of every platform
    registry.removeSingleMetric(PROCESS_PREFIX + replaces);
    new Gauge({
      name: PROCESS_PREFIX + name,
      help,
      registers: [registry],
      async collect() {
        const { values } = await replaced.get();
        this.set(values[0]?.value ?? 0);
      },
    });
  }
}
