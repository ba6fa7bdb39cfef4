/** The export of spans, where the settings name a collector. */
import { randomUUID } from 'node:crypto';
import type { GatewaySettings } from '../config/index.ts';
import { OPERATIONS, type Operation } from '../pipeline/index.ts';
import { cleanBodies } from '../request-log/index.ts';
import type { Logger, Metrics } from '../telemetry/index.ts';
import { type OperationNames, openTracing, type Tracing } from '../tracing/index.ts';

/** Undefined: no spans are made. */
export function tracingFor(
  { tracing, podName }: Pick<GatewaySettings, 'tracing' | 'podName'>,
  ports: { readonly metrics: Metrics; readonly logger: Logger; readonly version: string },
): Tracing | undefined {
  if (tracing === undefined) return undefined;
  const own = { 'service.version': ports.version, 'service.instance.id': podName ?? randomUUID() };
  const { contentChars } = tracing;
  return openTracing({
    ...{ ...tracing, ...ports, resource: { ...own, ...tracing.resource }, operations: operationNames() },
    content: contentChars === undefined ? undefined : { maxChars: contentChars, bodiesOf: cleanBodies },
  });
}

const operationNames = (): ReadonlyMap<string, OperationNames> =>
  new Map(Object.values<Operation>(OPERATIONS).map((operation) => [operation.id, namesOf(operation)]));

function namesOf({ id, genAiName, routes }: Operation): OperationNames {
  const named = routes
    .filter(({ path }) => !path.endsWith('*'))
    .map(({ path }) => ({ path, pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`) }));
  return {
    genAi: genAiName ?? id,
    routeOf: (path) => (named.length === 1 ? named[0] : named.find(({ pattern }) => pattern.test(path)))?.path,
  };
}
