import { isIPv6 } from 'node:net';
import type { Dispatcher } from 'undici';
import { type Clock, createBackoff, type Log, sleep } from '../../runtime/index.ts';
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

/** Asks one pod again and again, each time for what comes after its last answer. Ends with the signal; never rejects. */
export async function follow(pod: FleetPod, options: FollowOptions): Promise<void> {
  const { dispatcher, token, log, clock, random, signal, onAnswer } = options;
  const backoff = createBackoff(BACKOFF, random);
  let wait = 0;
  while (!signal.aborted) {
    try {
      const answer = await poll({ dispatcher, origin: originOf(pod), token: await token(), wait, signal });
      backoff.reset();
      wait = Math.max(answer.version ?? 0, answer.rejected?.version ?? 0) + 1;
      onAnswer(answer);
    } catch (error) {
      if (signal.aborted) return;
      wait = 0; // a container that has started again is asked what it has now
      log.debug({ pod: pod.name, problem: error instanceof Error ? error.message : 'unknown' }, 'Pod did not answer');
      onAnswer(undefined);
      await sleep(backoff.next(), { signal, clock }).catch(() => undefined);
    }
  }
}

/** Where the admin listener of a pod is. */
export function originOf({ ip, adminPort = DEFAULT_ADMIN_PORT }: Pick<FleetPod, 'ip' | 'adminPort'>): string {
  return `http://${isIPv6(ip) ? `[${ip}]` : ip}:${adminPort}`;
}
