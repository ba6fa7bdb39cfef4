/** The memory of bytes that sockets have read. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Told of each piece that was read from a socket, in bytes. */
export type OnRead = (bytes: number) => void;

/** Smaller pieces have little memory beside their objects, which the collector sees. */
const LEAST_BYTES = 16 * 1024;
/** Read between two collections. */
const MOST_BYTES = 8 * 1024 * 1024;

/**
 * Has what is no longer used collected after every 8 MiB. V8 sees few new objects while a file passes, so it would collect its whole heap,
 * again and again, for the memory outside it. `collect`: collects young objects.
 */
export function collectAfterReads(collect: () => void): OnRead {
  let read = 0;
  return (bytes) => {
    if (bytes < LEAST_BYTES) return;
    read += bytes;
    if (read < MOST_BYTES) return;
    read = 0;
    collect();
  };
}

/** With the collector of this process. */
export function collectorOfReads(): OnRead {
  let gc: NodeJS.GCFunction | undefined;
  return collectAfterReads(() => {
    gc ??= globalThis.gc ?? hiddenCollector();
    gc({ type: 'minor', execution: 'sync' });
  });
}

/** For processes that were started without `--expose-gc`; it counts for contexts that are made after it. */
function hiddenCollector(): NodeJS.GCFunction {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as NodeJS.GCFunction; // Node's own type of it
}
