/** Notifies of possible changes in folders. It may miss changes and report too many: the listener has to scan the folders. */
import { type FSWatcher, watch } from 'node:fs';

export interface Watcher {
  /** Watches these folders and no others; those that cannot be watched are skipped. */
  setFolders(folders: readonly string[]): void;
  close(): void;
}

/** One watch per folder: recursive watching is emulated on Linux and misses folders that are created and removed. */
export function createWatcher(onEvent: () => void): Watcher {
  const watches = new Map<string, FSWatcher>();
  const stop = (folder: string): void => {
    watches.get(folder)?.close();
    watches.delete(folder);
  };
  const start = (folder: string): void => {
    try {
      const own = watch(folder, { persistent: false }, onEvent);
      own.on('error', () => stop(folder)); // the folder was removed or the system has no more watches: polling continues
      watches.set(folder, own);
    } catch {
      // as above
    }
  };
  return {
    setFolders: (folders) => {
      const wanted = new Set(folders);
      for (const folder of [...watches.keys()]) if (!wanted.has(folder)) stop(folder);
      for (const folder of wanted) if (!watches.has(folder)) start(folder);
    },
    close: () => {
      for (const folder of [...watches.keys()]) stop(folder);
    },
  };
}
