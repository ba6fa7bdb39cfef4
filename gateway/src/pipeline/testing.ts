/** Shared by the tests of the pipeline. */
import { type Entries, snapshot } from '@gatehouse/test/kit';
import { PROVIDERS } from '../providers/register.ts';
import { createSnapshotHolder, type SnapshotView } from '../snapshot/index.ts';

/** A Snapshot of these entries as requests see it; throws when it is refused. */
export async function viewOf(...entries: Entries): Promise<SnapshotView> {
  const holder = createSnapshotHolder({ providers: PROVIDERS });
  await holder.load(1, snapshot(...entries));
  if (holder.current === undefined) throw new Error(holder.status.rejected?.reason);
  return holder.current;
}
