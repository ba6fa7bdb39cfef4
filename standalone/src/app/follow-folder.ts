/** Follows a folder for as long as the process lives. */
import type { Logger } from '@gatehouse/gateway';
import { createWatcher, type FolderState, type ResourceFolder } from '../resource-folder/index.ts';
import { createWakeableSleep } from './wakeable-sleep.ts';

interface FollowFolderOptions {
  readonly folder: ResourceFolder;
  readonly logger: Logger;
  /** Called with every new state, one after the other. */
  onState(state: FolderState): Promise<void>;
}

export interface FolderFollower {
  close(): Promise<void>;
}

/** Events come in bursts: this is how long to wait for the rest, in ms. */
const DEBOUNCE_MS = 30;
/** How often to look without being told, in ms: below the 500 ms within which an edit is live (DESIGN section 2). */
const POLL_MS = 300;
/** A look may take this share of the time at most. */
const MAX_SHARE = 0.05;

/** Starts with the state that has just been read. */
export function followFolder({ folder, logger, onState }: FollowFolderOptions, first: FolderState): FolderFollower {
  const closing = new AbortController();
  const { signal } = closing;
  const sleep = createWakeableSleep();
  const watcher = createWatcher(sleep.wake);
  let last = first;

  const look = async (): Promise<number> => {
    const startedMs = performance.now();
    const { state, folders, againInMs } = await folder.refresh();
    watcher.setFolders(folders);
    if (state !== last) await onState(state);
    last = state;
    return againInMs ?? Math.max(POLL_MS, (performance.now() - startedMs) / MAX_SHARE);
  };
  const run = async (): Promise<void> => {
    let waitMs = 0;
    while (!signal.aborted) {
      const woken = await sleep.wait(waitMs, signal);
      if (woken) await createWakeableSleep().wait(DEBOUNCE_MS, signal);
      if (signal.aborted) return;
      waitMs = await look().catch((error: unknown) => {
        logger.error({ err: error }, 'Resource folder could not be read');
        return POLL_MS;
      });
    }
  };
  const running = run();
  return {
    close: async () => {
      closing.abort();
      watcher.close();
      await running;
    },
  };
}
