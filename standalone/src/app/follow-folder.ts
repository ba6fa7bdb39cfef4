/** Watches and polls a folder as long as the process runs. */
import type { Logger } from '@gatehouse/gateway';
import { createWatcher, type FolderState, type ResourceFolder } from '../resource-folder/index.ts';
import { createWakeableSleep } from './wakeable-sleep.ts';

interface FollowFolderOptions {
  readonly folder: ResourceFolder;
  readonly logger: Logger;
  /** Called with every new state; calls do not overlap. */
  onState(state: FolderState): Promise<void>;
}

export interface FolderFollower {
  close(): Promise<void>;
}

/** Wait after an event for further events of the same edit, in ms. */
const DEBOUNCE_MS = 30;
/** Poll interval without events, in ms: an edit has to be served within 500 ms. */
const POLL_MS = 300;
/** Largest share of time spent on scans. */
const MAX_SHARE = 0.05;

/** `first` is the state that has just been read. */
export function followFolder({ folder, logger, onState }: FollowFolderOptions, first: FolderState): FolderFollower {
  const closing = new AbortController();
  const { signal } = closing;
  const sleep = createWakeableSleep();
  const watcher = createWatcher(sleep.wake);
  let last = first;

  const scan = async (): Promise<number> => {
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
      waitMs = await scan().catch((error: unknown) => {
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
