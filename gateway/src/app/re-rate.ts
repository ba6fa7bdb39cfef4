/** Prices in hindsight, for a command: docs/behaviour/request-logs.md#prices-in-hindsight */
import type { Snapshot } from '@gatehouse/crds/snapshot';
import { PROVIDERS } from '../providers/register.ts';
import { type ReRateOptions, reRate } from '../request-log/index.ts';
import { createSnapshotHolder } from '../snapshot/index.ts';
import { postgresDialect } from '../store/index.ts';

export interface ReRateRequest extends Omit<ReRateOptions, 'prices' | 'dialect'> {
  /** Has the prices of today, and the accounts that pay them. */
  readonly snapshot: Snapshot;
  /** PostgreSQL by its address, or one that is open already. */
  readonly database: { readonly url: string; readonly ca: string | undefined } | ReRateOptions['dialect'];
}

/** A transaction reads and writes hundreds of rows. */
const WAIT_MS = 60_000;

/** Rejects where the Snapshot or the database cannot be used; what was done stays done. */
export async function reRateRows({ snapshot, database, ...options }: ReRateRequest): Promise<void> {
  const held = createSnapshotHolder({ providers: PROVIDERS });
  const { rejected } = await held.load(1, snapshot);
  const view = held.current;
  if (rejected !== undefined || view === undefined) throw new Error(rejected?.reason ?? 'nothing was loaded');
  const dialect =
    typeof database === 'function' ? database : postgresDialect({ ...database, waitMs: WAIT_MS, maxConnections: 1 });
  await reRate({
    ...options,
    dialect,
    prices: {
      prices: view.prices,
      accountOf: (workspace, slug) => {
        const found = view.provider(workspace, slug);
        return found && { provider: found.provider.id, prices: found.prices };
      },
    },
  });
}
