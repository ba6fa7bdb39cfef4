/** State in the memory of a parent, as its workers reach it: every call and result is serialised as between processes. */
import { setImmediate } from 'node:timers';
import { deserialize, serialize } from 'node:v8';
import { createMemoryBudgetStore } from '../../gateway/src/budgets/index.ts';
import { createMemoryCacheStore } from '../../gateway/src/cache/index.ts';
import type { SharedState } from '../../gateway/src/index.ts';
import { createConcurrency, createMemoryLimiter } from '../../gateway/src/limits/index.ts';
import { createMemoryCircuitStore, createMemoryStateStore } from '../../gateway/src/store/index.ts';
import { createStateClient, createStateServer } from '../../standalone/src/workers/index.ts';

/** The state of one worker; its parent has what is given, and the rest in memory. */
export function throughParent(given: Partial<SharedState>): SharedState {
  const now = Date.now;
  const connection = createStateServer({
    limiter: createMemoryLimiter(),
    budgetStore: createMemoryBudgetStore({ now }),
    concurrency: createConcurrency(0),
    states: createMemoryStateStore({ now }),
    circuits: createMemoryCircuitStore({ now }),
    answers: createMemoryCacheStore({ now }),
    ...given,
  }).connect();
  const client = createStateClient({
    maxConcurrentPerKey: 0,
    processes: 1,
    timeoutMs: 60_000, // far above the default: these machines are busy with tests
    send: (calls) => {
      const sent = serialize(calls);
      setImmediate(async () => {
        const results = serialize(await connection.execute(deserialize(sent)));
        setImmediate(() => client.receive(deserialize(results)));
      });
    },
  });
  return client.state;
}
