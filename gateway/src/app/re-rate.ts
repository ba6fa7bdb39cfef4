/** Prices in hindsight, for a command: docs/behaviour/request-logs.md#prices-in-hindsight */
import type { Snapshot } from '@gatehouse/crds/snapshot';
import { PROVIDERS } from '../providers/register.ts';
import { type ClickHouseOptions, type RatingOptions, reRate, reRateClickHouse } from '../request-log/index.ts';
import { createSnapshotHolder } from '../snapshot/index.ts';
import { type OpenDialect, postgresDialect } from '../store/index.ts';

/** PostgreSQL by its address, or one that is open already; or ClickHouse. */
export type LogDatabase =
  | { readonly url: string; readonly ca: string | undefined }
  | { readonly clickHouse: ClickHouseOptions }
  | OpenDialect;

export interface ReRateRequest extends Omit<RatingOptions, 'prices'> {
  /** Has the prices of today, and the accounts that pay them. */
  readonly snapshot: Snapshot;
  readonly database: LogDatabase;
}

/** A transaction reads and writes hundreds of rows. */
const WAIT_MS = 60_000;

/** Rejects where the Snapshot or the database cannot be used; what was done stays done. */
export async function reRateRows({ snapshot, database, ...options }: ReRateRequest): Promise<void> {
  const held = createSnapshotHolder({ providers: PROVIDERS });
  const { rejected } = await held.load(1, snapshot);
  const view = held.current;
  if (rejected !== undefined || view === undefined) throw new Error(rejected?.reason ?? 'nothing was loaded');
  const rating: RatingOptions = {
    ...options,
    prices: {
      prices: view.prices,
      accountOf: (workspace, slug) => {
        const found = view.provider(workspace, slug);
        return found && { provider: found.provider.id, prices: found.prices };
      },
    },
  };
  if ('clickHouse' in database) return reRateClickHouse({ ...rating, clickHouse: database.clickHouse });
  const dialect =
    typeof database === 'function' ? database : postgresDialect({ ...database, waitMs: WAIT_MS, maxConnections: 1 });
  return reRate({ ...rating, dialect });
}
