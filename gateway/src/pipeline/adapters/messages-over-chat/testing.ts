/** For tests of the adapter; programs do not import it. */
import type { AdapterContext } from '../adapter.ts';

/** Generated ids are constant. `has`: what the body of the endpoint says; others pass. */
export const sampleContext = (has: Readonly<Record<string, boolean>> = {}): AdapterContext => ({
  provider: 'acme',
  model: 'asked',
  now: () => 1_760_000_000_000,
  newId: (prefix, length) => prefix + 'n'.repeat(length),
  has: (param) => has[param],
});
