/** When memberships follow: with the call that changed something, and again and again. */
import type { Services } from '../family.ts';
import { syncMembers } from './sync.ts';

/** A call is answered when its memberships are written, or after this time, in ms: the rest follows. */
const PATIENCE_MS = 5_000;
/** Also for mappings that kubectl writes, and for what failed. */
const EVERY_MS = 10_000;

/** What the call has written stays when this fails: the next round tries again. */
export async function settleMembers(services: Services): Promise<void> {
  const settled = syncMembers(services).catch((error: unknown) => services.onSyncFailed?.(error));
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS).unref();
  });
  await Promise.race([settled, patience]);
  clearTimeout(timer);
}

export interface MemberRounds {
  /** Waits for the round that is under way. */
  close(): Promise<void>;
}

/** Rounds, one after the other, until it is closed. */
export function startMemberRounds(services: Services, everyMs = EVERY_MS): MemberRounds {
  let isFailing = false;
  let round: Promise<void> | undefined;
  const once = async (): Promise<void> => {
    try {
      await syncMembers(services);
      isFailing = false;
    } catch (error) {
      if (!isFailing) services.onSyncFailed?.(error);
      isFailing = true;
    } finally {
      round = undefined;
    }
  };
  const timer = setInterval(() => {
    round ??= once();
  }, everyMs).unref();
  return {
    close: async () => {
      clearInterval(timer);
      await round;
    },
  };
}
