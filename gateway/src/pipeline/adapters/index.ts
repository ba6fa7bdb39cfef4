/** Where an operation is served by an endpoint of another format. */
import type { Provider } from '../../providers/contract.ts';
import type { Adapter } from './adapter.ts';

export type { Adaptation, Adapter, AdapterContext, StreamAdapter } from './adapter.ts';
export { ADAPTERS } from './register.ts';

export interface Adapters {
  /** The adapter by which a provider can serve an operation that it does not offer itself. */
  find(operation: string, provider: Provider): Adapter | undefined;
}

export function createAdapters(list: readonly Adapter[]): Adapters {
  const byOperation = Map.groupBy(list, ({ operation }) => operation);
  return {
    find: (operation, { endpoints }) =>
      byOperation.get(operation)?.find(({ endpoint }) => endpoints[endpoint] !== undefined),
  };
}
