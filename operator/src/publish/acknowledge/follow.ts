import { isIPv6 } from 'node:net';
import { compareRevisions, NO_REVISION, type Revision } from '@gatehouse/crds/snapshot';
import type { Dispatcher } from 'undici';
import { type Clock, createBackoff, createRate, type Log, sleep } from '../../runtime/index.ts';
import type { PodAnswer } from './answer.ts';
import { poll } from './poll.ts';

/** A gateway pod as its status describes it. */
export interface FleetPod {
  readonly name: string;
  readonly uid: string;
  readonly ip: string;
  /** The condition `Ready` of the pod. */
  readonly ready: boolean;
  /** The port of the admin listener; default 8789. */
  readonly adminPort?: number;
}

export interface FollowOptions {
  readonly dispatcher: Dispatcher;
  readonly token: () => string | Promise<string>;
  readonly log: Log;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Undefined: the pod does not answer. */
  readonly onAnswer: (answer: PodAnswer | undefined) => void;
}

const DEFAULT_ADMIN_PORT = 8789;
/** A starting pod is polled again soon, a hanging one rarely. */
const BACKOFF = { minMs: 100, maxMs: 5_000 };
/** Polls per second in the long run, and at once: a pod in a tenant's namespace may answer immediately every time. */
const POLLS = { perSecond: 10, burst: 50 };

/** Polls one pod, each time for what comes after its last answer. Ends with the signal; never rejects. */
export async function follow(pod: FleetPod, options: FollowOptions): Promise<void> {
  const { dispatcher, token, log, clock, random, signal, onAnswer } = options;
  const backoff = createBackoff(BACKOFF, random);
  const rate = createRate({ ...POLLS, clock });
  let wait = NO_REVISION;
  let changes: number | undefined;
  while (!signal.aborted) {
    try {
      await rate.turn(signal);
      const answer = await poll({ dispatcher, origin: originOf(pod), token: await token(), wait, changes, signal });
      backoff.reset();
      wait = afterAll(answer);
      changes = answer.changes;
      onAnswer(answer);
    } catch (error) {
      if (signal.aborted) return;
      changes = undefined;
      wait = NO_REVISION; // after a restart of the container, its current state is polled
      log.debug({ pod: pod.name, problem: error instanceof Error ? error.message : 'unknown' }, 'Pod did not answer');
      onAnswer(undefined);
      await sleep(backoff.next(), { signal, clock }).catch(() => undefined);
    }
  }
}

/** The first revision that the pod has neither loaded nor refused. */
function afterAll({ epoch, version = 0, rejected }: PodAnswer): Revision {
  const served = { epoch, version };
  const last: Revision = rejected !== undefined && compareRevisions(served, rejected) < 0 ? rejected : served;
  return { epoch: last.epoch, version: last.version + 1 };
}

/** The URL of a pod's admin listener. */
export function originOf({ ip, adminPort = DEFAULT_ADMIN_PORT }: Pick<FleetPod, 'ip' | 'adminPort'>): string {
  return `http://${isIPv6(ip) ? `[${ip}]` : ip}:${adminPort}`;
}
