/** A gateway in a process of its own, for tests that kill it. Argument: JSON of StartedWith. It prints its port, and ends with its input. */
import type { Snapshot } from '@gatehouse/crds/snapshot';
import {
  type BudgetStore,
  createGateway,
  createLogger,
  readEnvironment,
  type SyncReply,
  toSettings,
} from '@gatehouse/gateway';

export interface StartedWith {
  readonly env: Readonly<Record<string, string>>;
  readonly snapshot: Snapshot;
  /** Where counters of budgets are synced, by POST; absent: they are its own. */
  readonly budgets?: string;
}

const { env, snapshot, budgets }: StartedWith = JSON.parse(process.argv[2] ?? '');
const storeAt = (address: string): BudgetStore => ({
  sync: async (requests) => {
    const answer = await fetch(address, { method: 'POST', body: JSON.stringify(requests) });
    return (await answer.json()) as readonly SyncReply[]; // of the test
  },
  close: async () => undefined,
});
const variables = { PORT: '0', GATEHOUSE_ADMIN_PORT: '0', HOST: '127.0.0.1', ...env };
const gateway = createGateway({
  settings: toSettings(readEnvironment(variables)),
  variables,
  ...(budgets === undefined ? {} : { budgetStore: storeAt(budgets) }),
  logger: createLogger({ level: 'fatal', service: 'test' }),
  batchTiming: {
    ...{ lookMs: 20, firstWaitMs: 20, maxWaitMs: 50, failedWaitMs: 50, renewMs: 100, leaseMs: 1_000 },
    ...{ pollMs: 20, maxPollMs: 50, settleMs: 2_000 },
  },
});
await gateway.snapshots.load(1, snapshot);
const { port } = await gateway.listen();
process.stdout.write(`${port}\n`);
process.stdin.on('end', () => void gateway.close()).resume();
