import type { ObjectKey } from '../client/index.ts';
import { type Clock, exponentialMs } from '../time/index.ts';

/** The names of a namespace by whether they may be read. */
export interface NamesByAccess {
  readonly denied: ReadonlySet<ObjectKey>;
  readonly watched: ReadonlySet<ObjectKey>;
}

export interface AccessProbeOptions {
  /** Whether a name may be read now; undefined where that cannot be determined. Rejects when the check failed. */
  readonly isAllowed: (key: ObjectKey, signal: AbortSignal) => Promise<boolean | undefined>;
  readonly byNamespace: ReadonlyMap<string, NamesByAccess>;
  /** Retries the denied names of a namespace. */
  readonly retry: (namespace: string) => void;
  readonly deny: (key: ObjectKey) => void;
  readonly clock: Clock;
}

export interface AccessProbe {
  /** A name of the namespace was denied, or none is denied any more. */
  note(namespace: string): void;
  /** The denied names of the namespace may be granted by now: they are checked at once, but no more than once a second. */
  recheck(namespace: string): void;
  run(signal: AbortSignal): Promise<void>;
}

/** A new grant is noticed within seconds; the longer none comes, the less often it is checked. */
const DENIED = { minMs: 1_000, maxMs: 10_000 };
/** An open watch outlives the right to it: how often the right is checked. */
const WATCHED_MS = 120_000;
/** Between two checks of any names. */
const GAP_MS = 50;

interface Plan {
  dueMs: number;
  /** When the last check began. */
  checkedMs: number;
  /** Negative checks since a name was denied. */
  failures: number;
  turns: number;
}

/**
 * Checks the rights to one name at a time: a namespace without rights costs one check now and then, however many names are
 * wanted of it, and a thousand such namespaces no more than twenty per second.
 */
export function createAccessProbe({ isAllowed, byNamespace, retry, deny, clock }: AccessProbeOptions): AccessProbe {
  const plans = new Map<string, Plan>();
  const rest = createWakeableSleep(clock);

  const plan = (): void => {
    for (const namespace of plans.keys()) if (!byNamespace.has(namespace)) plans.delete(namespace);
    for (const namespace of byNamespace.keys()) {
      if (plans.has(namespace)) continue;
      const nowMs = clock.monotonicMs();
      plans.set(namespace, { dueMs: nowMs + WATCHED_MS, checkedMs: nowMs - DENIED.minMs, failures: 0, turns: 0 });
    }
  };
  const ask = async (namespace: string, due: Plan, signal: AbortSignal): Promise<void> => {
    const { denied, watched } = byNamespace.get(namespace) ?? NOTHING;
    const isMixed = denied.size > 0 && watched.size > 0;
    const isOfWatched = denied.size === 0 || (isMixed && due.turns % 2 === 1);
    const names = [...(isOfWatched ? watched : denied)];
    const key = names[(isMixed ? due.turns >> 1 : due.turns) % names.length];
    due.turns += 1;
    if (key === undefined) return;
    const answer = await isAllowed(key, signal);
    if (isOfWatched && answer === false) deny(key);
    if (!isOfWatched) follow(namespace, due, answer);
  };
  const follow = (namespace: string, due: Plan, answer: boolean | undefined): void => {
    due.failures = answer === true ? 0 : due.failures + 1;
    if (answer !== false) retry(namespace);
  };
  const nextMs = (namespace: string, { failures }: Plan): number =>
    (byNamespace.get(namespace)?.denied.size ?? 0) > 0 ? exponentialMs(failures, DENIED) : WATCHED_MS;

  return {
    note: (namespace) => {
      plan();
      const known = plans.get(namespace);
      if (known !== undefined) known.dueMs = Math.min(known.dueMs, clock.monotonicMs() + nextMs(namespace, known));
      rest.wake();
    },
    recheck: (namespace) => {
      plan();
      const known = plans.get(namespace);
      if (known === undefined || byNamespace.get(namespace)?.denied.size === 0) return;
      known.failures = 0;
      known.dueMs = Math.min(known.dueMs, known.checkedMs + DENIED.minMs);
      rest.wake();
    },
    run: async (signal) => {
      signal.addEventListener('abort', rest.end, { once: true });
      while (!signal.aborted) {
        plan();
        const [first] = [...plans].sort(([, a], [, b]) => a.dueMs - b.dueMs);
        const waitMs = (first?.[1].dueMs ?? Number.POSITIVE_INFINITY) - clock.monotonicMs();
        if (first === undefined || waitMs > 0) {
          await rest.for(Math.min(waitMs, WATCHED_MS), { until: 'woken' });
          continue;
        }
        const [namespace, due] = first;
        due.checkedMs = clock.monotonicMs();
        due.dueMs = Number.POSITIVE_INFINITY; // may be set during the check
        await ask(namespace, due, signal).catch(() => undefined); // the API server is away: checked again when it is due
        due.dueMs = Math.min(due.dueMs, clock.monotonicMs() + nextMs(namespace, due));
        if (!signal.aborted) await rest.for(GAP_MS, { until: 'over' });
      }
    },
  };
}

const NOTHING: NamesByAccess = { denied: new Set(), watched: new Set() };

/** A sleep that can be ended early. */
function createWakeableSleep(clock: Clock) {
  let current: { readonly end: () => void; readonly isLight: boolean } | undefined;
  return {
    for: (ms: number, { until }: { readonly until: 'woken' | 'over' }): Promise<void> =>
      new Promise((resolve) => {
        const end = (): void => {
          current = undefined;
          timer[Symbol.dispose]();
          resolve();
        };
        const timer = clock.schedule(ms, end);
        current = { end, isLight: until === 'woken' };
      }),
    wake: (): void => {
      if (current?.isLight === true) current.end();
    },
    end: (): void => current?.end(),
  };
}
