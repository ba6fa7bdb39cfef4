/** Follows what the pods of one fleet report of their budgets: one long poll per pod. */
import { MAX_USAGE_ROWS, type UsageReport, type UsageTotal } from '@gatehouse/crds/usage';
import { Agent } from 'undici';
import { type FleetPod, originOf } from '../publish/index.ts';
import { type Clock, createBackoff, createRate, type Log, sleep, systemClock } from '../runtime/index.ts';
import { NoUsageError, pollUsage, seedUsage, type UsageCall } from './calls.ts';

export interface PodUsageOptions {
  /** The bearer token of the fleet's pods, read once per call. */
  readonly token: () => string;
  /** Takes rows of a pod; returns the totals that its store has lost. Must not throw. */
  readonly onRows: (rows: UsageReport['budgets']) => readonly UsageTotal[];
  /** What a process that has just started is told, the nearest to their ends first. */
  readonly totals: () => readonly UsageTotal[];
  readonly log: Log;
  readonly clock?: Clock;
  /** Uniform in [0, 1). */
  readonly random?: () => number;
}

export interface PodUsage {
  /** Sets the pods to follow. */
  setPods(pods: readonly FleetPod[]): void;
  close(): Promise<void>;
}

const MAX_PODS = 1_000;
const CONNECT_MS = 2_000;
const BACKOFF = { minMs: 200, maxMs: 10_000 };
/** How long a gateway of a release without budgets is left alone, in ms. */
const WITHOUT_USAGE_MS = 60_000;
/** Polls of a pod per second in the long run, and at once: a pod in a tenant's namespace may answer immediately every time. */
const POLLS = { perSecond: 5, burst: 50 };

interface Followed {
  readonly origin: string;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** Begins with no pods. */
export function createPodUsage(options: PodUsageOptions): PodUsage {
  const dispatcher = new Agent({ connections: 2, connect: { timeout: CONNECT_MS } });
  const pods = new Map<string, Followed>();
  const start = (pod: FleetPod): void => {
    const stop = new AbortController();
    const origin = originOf(pod);
    const ended = follow({ ...options, dispatcher, pod, signal: stop.signal });
    pods.set(pod.uid, { origin, stop, ended });
  };
  return {
    setPods: (given) => {
      const wanted = given.filter(({ ip }) => ip !== '').slice(0, MAX_PODS);
      const origins = new Map(wanted.map((pod) => [pod.uid, originOf(pod)]));
      for (const [uid, { origin, stop }] of pods) {
        if (origins.get(uid) === origin) continue;
        stop.abort();
        pods.delete(uid);
      }
      for (const pod of wanted) if (!pods.has(pod.uid)) start(pod);
    },
    close: async () => {
      const followed = [...pods.values()];
      pods.clear();
      for (const { stop } of followed) stop.abort();
      await Promise.all(followed.map(({ ended }) => ended));
      await dispatcher.destroy();
    },
  };
}

interface FollowOptions extends PodUsageOptions, Pick<UsageCall, 'dispatcher' | 'signal'> {
  readonly pod: FleetPod;
}

/** Polls one pod, each time for what has changed since its last answer. Ends with the signal; never rejects. */
async function follow(options: FollowOptions): Promise<void> {
  const { pod, dispatcher, token, onRows, totals, log, clock = systemClock, random = Math.random, signal } = options;
  const backoff = createBackoff(BACKOFF, random);
  const rate = createRate({ ...POLLS, clock });
  let cursor = FROM_THE_START;
  while (!signal.aborted) {
    try {
      await rate.turn(signal);
      const call = { dispatcher, origin: originOf(pod), token: token(), signal };
      const report = await pollUsage(call, cursor);
      backoff.reset();
      const lost = onRows(report.budgets);
      await seed(call, report.process === cursor.process ? lost : totals());
      cursor = report;
    } catch (error) {
      if (signal.aborted) return;
      cursor = FROM_THE_START;
      log.debug(
        { pod: pod.name, problem: error instanceof Error ? error.message : 'unknown' },
        'Pod reported no usage',
      );
      const waitMs = error instanceof NoUsageError ? WITHOUT_USAGE_MS : backoff.next();
      await sleep(waitMs, { signal, clock }).catch(() => undefined);
    }
  }
}

const FROM_THE_START: Pick<UsageReport, 'process' | 'sequence'> = { process: '', sequence: 0 };

async function seed(call: UsageCall, totals: readonly UsageTotal[]): Promise<void> {
  for (let i = 0; i < totals.length; i += MAX_USAGE_ROWS) await seedUsage(call, totals.slice(i, i + MAX_USAGE_ROWS));
}
