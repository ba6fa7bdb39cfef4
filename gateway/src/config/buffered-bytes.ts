import { DEFAULTS } from './defaults.ts';

export interface ProcessMemory {
  /** What the container or the machine grants, in bytes. */
  readonly container: number;
  /** Largest heap in bytes: parsed bodies live there. */
  readonly heap: number;
}

/** How many bytes of requests and answers may be held: early enough that nothing else runs out of memory. */
export function bufferedBytesFor({ container, heap }: ProcessMemory): number {
  const { bufferedShare, minBufferedBytes } = DEFAULTS;
  const share = Math.min(container * bufferedShare.container, heap * bufferedShare.heap);
  return Math.max(minBufferedBytes, Math.floor(share));
}
