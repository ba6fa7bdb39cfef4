/** The Snapshot of resources, for commands that call nothing. */
import type { Snapshot } from '@gatehouse/crds/snapshot';
import { createResourceFolder, problemLines } from '../resource-folder/index.ts';
import { capsOf } from './preflight.ts';
import { CommandError, type Shell } from './shell.ts';

/** Secrets may be missing: nothing is called. Throws CommandError where something of the resources would be left out. */
export async function snapshotOf(paths: readonly string[], { variables, err }: Shell): Promise<Snapshot> {
  const folder = createResourceFolder(paths, {
    ...{ variables, caps: capsOf(variables), standIns: true },
    now: () => performance.now(),
  });
  const { state } = await folder.refresh();
  for (const line of problemLines(state.problems)) err(line);
  if (state.problems.length > 0) throw new CommandError('the resources have problems: nothing was done');
  return state.snapshot;
}
