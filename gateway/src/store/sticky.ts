import { LRUCache } from 'lru-cache';
import { atMostEntries } from '../lib/entry-bound.ts';
import type { StateStore } from './state.ts';
import type { StoreBreaker } from './store-breaker.ts';

/** Target of each session, as its index in the config; docs/behaviour/routing.md#sticky-sessions. */
export interface StickySessions {
  /**
   * The index that `pick` returns for the stored one (undefined: none). A new index is stored for the TTL, which use does not
   * extend. Never rejects: without its store nothing is remembered.
   */
  choose(key: string, ttlSeconds: number, pick: (stored: number | undefined) => number): Promise<number>;
}

export interface StickyOptions {
  readonly states: StateStore;
  readonly storeBreaker: StoreBreaker;
  /** Unix time in ms. */
  readonly now: () => number;
  /** Sessions kept in this process. */
  readonly maxSessions?: number;
}

/** Time for which a session is served from this process before the store is read again, in ms. */
const LOCAL_MS = 30_000;
const MAX_SESSIONS = 50_000;

interface Choice {
  readonly index: number;
  /** Unix ms. */
  readonly expiresMs: number;
}

export function createStickySessions(options: StickyOptions): StickySessions {
  const { states, storeBreaker, now } = options;
  const local = new LRUCache<string, Choice & { readonly freshUntilMs: number }>(
    atMostEntries(options.maxSessions ?? MAX_SESSIONS),
  );

  const localChoice = (key: string): Choice | undefined => {
    const known = local.get(key);
    return known !== undefined && now() < Math.min(known.expiresMs, known.freshUntilMs) ? known : undefined;
  };

  const keepLocally = (key: string, choice: Choice): void => {
    local.set(key, { ...choice, freshUntilMs: now() + LOCAL_MS });
  };

  const sharedChoice = async (key: string): Promise<Choice | undefined> => {
    const found = await storeBreaker.attempt(() => states.get(key));
    const choice = found.ok && found.value !== undefined ? parseChoice(found.value) : undefined;
    return choice !== undefined && now() < choice.expiresMs ? choice : undefined;
  };

  return {
    choose: async (key, ttlSeconds, pick) => {
      const known = localChoice(key);
      // A second request of the session may have chosen while this one waited.
      const stored = known ?? (await sharedChoice(key)) ?? localChoice(key);
      const index = pick(stored?.index);
      if (stored !== undefined && stored.index === index) {
        if (known === undefined) keepLocally(key, stored);
        return index;
      }
      const choice = { index, expiresMs: now() + ttlSeconds * 1_000 };
      keepLocally(key, choice);
      void storeBreaker.attempt(() => states.set(key, formatChoice(choice), ttlSeconds)); // never rejects; in the background
      return index;
    },
  };
}

/** The expiry is stored with the index, so that a copy in a process does not outlive the choice. */
const formatChoice = ({ index, expiresMs }: Choice): string => `${index}@${expiresMs}`;

function parseChoice(text: string): Choice | undefined {
  const [, index, expiresMs] = /^(\d{1,6})@(\d{1,15})$/.exec(text) ?? [];
  return index === undefined ? undefined : { index: Number(index), expiresMs: Number(expiresMs) };
}
