import { isIPv6 } from 'node:net';
import { compareRevisions, NO_REVISION, type Revision } from '@gatehouse/crds/snapshot';
import type { Dispatcher } from 'undici';
import { type Clock, createBackoff, createRate, type Log, sleep } from '../../runtime/index.ts';
import type { PodAnswer } from './answer.ts';
import { poll } from './poll.ts';

/** A gateway pod as its status has it. */
export interface FleetPod {
  readonly name: string;
  readonly uid: string;
  readonly ip: string;
  /** As kubelet sees it. */
  readonly ready: boolean;
  /** Of the admin listener; default 8789. */
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
/** A pod that starts is asked again soon, one that hangs rarely. */
const BACKOFF = { minMs: 100, maxMs: 5_000 };
/** Answers a second in the long run, and at once: a pod in a tenant's hands may answer without waiting for anything. */
const POLLS = { perSecond: 10, burst: 50 };

/** Asks one pod again and again, each time for what comes after its last answer. Ends with the signal; never rejects. */
export async function follow(pod: FleetPod, options: FollowOptions): Promise<void> {
  const { dispatcher, token, log, clock, random, signal, onAnswer } = options;
  const backoff = createBackoff(BACKOFF, random);
  const rate = createRate({ ...POLLS, clock });
  let wait = NO_REVISION;
  while (!signal.aborted) {
    try {
      await rate.turn(signal);
      const answer = await poll({ dispatcher, origin: originOf(pod), token: await token(), wait, signal });
      backoff.reset();
      wait = afterAll(answer);
      onAnswer(answer);
    } catch (error) {
      if (signal.aborted) return;
      wait = NO_REVISION; // a container that has started again is asked what it has now
      log.debug({ pod: pod.name, problem: error instanceof Error ? error.message : 'unknown' }, 'Pod did not answer');
      onAnswer(undefined);
      await sleep(backoff.next(), { signal, clock }).catch(() => undefined);
    }
  }
}

/** What the pod has neither loaded nor refused yet. */
function afterAll({ epoch, version = 0, rejected }: PodAnswer): Revision {
  const served = { epoch, version };
  const last: Revision = rejected !== undefined && compareRevisions(served, rejected) < 0 ? rejected : served;
  return { epoch: last.epoch, version: last.version + 1 };
}

/** Where the admin listener of a pod is. */
export function originOf({ ip, adminPort = DEFAULT_ADMIN_PORT }: Pick<FleetPod, 'ip' | 'adminPort'>): string {
  return `http://${isIPv6(ip) ? `[${ip}]` : ip}:${adminPort}`;
}
