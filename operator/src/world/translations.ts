/** Keeps a translation of the world up to date; on every replica. */
import { type Clock, createCoalescer, type Log, systemClock } from '../runtime/index.ts';
import {
  indexPublished,
  mergePublished,
  type PublishedEntries,
  type Sliced,
  type Translation,
  translateInSlices,
  type World,
} from '../translate/index.ts';

/** A translation with the world that it was made of. */
export interface Translated {
  readonly translation: Translation;
  readonly world: World;
  /** Counts translations. */
  readonly sequence: number;
  /** When the oldest change in it was seen, on the monotonic clock. */
  readonly sinceMs: number;
  /** Fleets, by namespace and name, whose published content was not read: it must not be replaced. */
  readonly unreadFleets?: ReadonlySet<string>;
}

/** What was published before this process started. */
export interface PublishedBefore {
  readonly published: PublishedEntries;
  /** Fleets whose content could not be read, by namespace and name. */
  readonly unreadFleets: ReadonlySet<string>;
}

export interface TranslationsOptions {
  readonly takeWorld: () => World;
  readonly onTranslated: (seconds: number) => void;
  /** A translation or one of its listeners has failed as a whole. */
  readonly onFailure: () => void;
  readonly log: Log;
  readonly clock?: Clock;
}

export interface Translations extends AsyncDisposable {
  /** The world may have changed. Does nothing before the start. */
  trigger(): void;
  /** Makes the first translation, on what was published before; call it once the world is complete. */
  start(before: PublishedBefore): Promise<void>;
  /**
   * More of what was published before has been read: everything is translated again, on the entries of the latest translation
   * and, for objects without any, on these.
   */
  recall(more: PublishedBefore): void;
  /** Undefined before the first translation. */
  readonly latest: Translated | undefined;
  /** Called after each translation, also of one without changes. */
  subscribe(listener: (translated: Translated) => void): Disposable;
}

export function createTranslations(options: TranslationsOptions): Translations {
  const { takeWorld, onTranslated, onFailure, log, clock = systemClock } = options;
  const listeners = new Set<(translated: Translated) => void>();
  let latest: Translated | undefined;
  let before: PublishedBefore | undefined;
  let unreadFleets: ReadonlySet<string> = new Set();
  let changedSinceMs: number | undefined;

  const run = async (): Promise<void> => {
    const startedMs = clock.monotonicMs();
    const sinceMs = changedSinceMs ?? startedMs;
    changedSinceMs = undefined;
    const recalled = before;
    try {
      const world = takeWorld();
      const translation = await inTurns(
        recalled === undefined
          ? translateInSlices(world, latest?.translation)
          : afresh(world, latest?.translation, recalled.published),
        clock,
      );
      unreadFleets = recalled?.unreadFleets ?? unreadFleets;
      latest = { translation, world, sequence: (latest?.sequence ?? -1) + 1, sinceMs, unreadFleets };
      if (before === recalled) before = undefined;
    } catch (error) {
      onFailure();
      log.error({ err: error }, 'Could not translate the resources');
      return;
    }
    const seconds = (clock.monotonicMs() - startedMs) / 1_000;
    onTranslated(seconds);
    const { translated, parsed } = latest.translation.work;
    if (translated > 0) log.debug({ translated, parsed, seconds }, 'Resources translated');
    for (const { key, error } of latest.translation.failures) {
      log.error({ object: key, err: error }, 'Could not translate a resource');
    }
    for (const listener of listeners) tell(listener, latest);
  };
  const tell = (listener: (translated: Translated) => void, translated: Translated): void => {
    try {
      listener(translated);
    } catch (error) {
      onFailure(); // the other listeners still get the translation
      log.error({ err: error }, 'Could not take over a translation');
    }
  };
  const coalescer = createCoalescer({ run, clock });
  let started = false;
  return {
    trigger: () => {
      changedSinceMs ??= clock.monotonicMs();
      if (started) coalescer.trigger();
    },
    recall: (more) => {
      before = before === undefined ? more : { ...more, published: mergePublished(before.published, more.published) };
      changedSinceMs ??= clock.monotonicMs();
      if (started) coalescer.trigger();
    },
    start: async (published) => {
      before = published;
      await run();
      started = true;
      if (changedSinceMs !== undefined) coalescer.trigger();
    },
    get latest() {
      return latest;
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return { [Symbol.dispose]: () => listeners.delete(listener) };
    },
    [Symbol.asyncDispose]: () => coalescer.close(),
  };
}

/**
 * A translation without a memo, on the entries of the last one; its changes name the objects that are gone since then.
 */
function* afresh(world: World, last: Translation | undefined, published: PublishedEntries): Sliced<Translation> {
  if (last === undefined) return yield* translateInSlices(world, undefined, published);
  const made = yield* translateInSlices(
    world,
    undefined,
    mergePublished(indexPublished(last.snapshot.entries), published),
  );
  const there = new Set(made.verdicts.map(({ key }) => key));
  const gone = last.verdicts.map(({ key }) => key).filter((key) => !there.has(key));
  return { ...made, changes: { ...made.changes, gone } };
}

/** Longest time without giving way to other work, in ms: health checks, leases, webhooks. */
const TURN_MS = 20;

async function inTurns<T>(steps: Sliced<T>, clock: Clock): Promise<T> {
  let sinceMs = clock.monotonicMs();
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (clock.monotonicMs() - sinceMs < TURN_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    sinceMs = clock.monotonicMs();
  }
}
