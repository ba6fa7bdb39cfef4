/** What each gateway pod serves: one long poll per pod, and a table of the answers. */
import { isDeepStrictEqual } from 'node:util';
import { Agent } from 'undici';
import { type Clock, type Log, systemClock } from '../../runtime/index.ts';
import type { PodAnswer } from './answer.ts';
import { type FleetPod, type FollowOptions, follow, originOf } from './follow.ts';

/** What is known of a pod. */
export interface Acknowledgement {
  readonly pod: FleetPod;
  /** The last answer; undefined before the first. */
  readonly answer: PodAnswer | undefined;
  /** When the pod answered last, in ms since 1970. */
  readonly atMs: number | undefined;
  /** False while the pod does not answer; undefined before it was asked. */
  readonly reachable: boolean | undefined;
}

export interface AcknowledgementsOptions {
  /** The bearer token of the fleet's pods, read once per poll. */
  readonly token: () => string | Promise<string>;
  /** Called after each change of the table, except of its times; must not throw. */
  readonly onChange: () => void;
  readonly log: Log;
  readonly clock?: Clock;
  /** Uniform in [0, 1). */
  readonly random?: () => number;
}

export interface Acknowledgements {
  /** Sets the pods to poll, at most 1,000. */
  setPods(pods: readonly FleetPod[]): void;
  /** Sorted by name. */
  table(): readonly Acknowledgement[];
  /** How many pods are ready, and how many of these serve the content of the digest. */
  count(digest: string | undefined): { readonly ready: number; readonly serving: number };
  close(): Promise<void>;
}

/** The largest fleet. */
const MAX_PODS = 1_000;
const CONNECT_MS = 2_000;

interface Followed {
  row: Acknowledgement;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** Begins with no pods. */
export function createAcknowledgements(options: AcknowledgementsOptions): Acknowledgements {
  const dispatcher = new Agent({ connections: 1, connect: { timeout: CONNECT_MS } });
  const pods = new FollowedPods({ clock: systemClock, random: Math.random, ...options, dispatcher });
  const ready = () => pods.rows().filter(({ pod }) => pod.ready);
  return {
    setPods: (wanted) => pods.set(wanted.filter(({ ip }) => ip !== '').slice(0, MAX_PODS)),
    table: () => pods.rows().sort((a, b) => (a.pod.name < b.pod.name ? -1 : 1)),
    count: (digest) => {
      const rows = ready();
      return { ready: rows.length, serving: rows.filter((row) => servesContent(row, digest)).length };
    },
    close: async () => {
      await pods.close();
      await dispatcher.destroy();
    },
  };
}

/**
 * Whether a pod serves the content. A gateway of a release without digests cannot say so, and a version alone proves nothing.
 */
export const servesContent = ({ answer }: Acknowledgement, digest: string | undefined): boolean =>
  digest !== undefined && answer?.digest === digest;

type PodsOptions = Required<AcknowledgementsOptions> & Pick<FollowOptions, 'dispatcher'>;

class FollowedPods {
  readonly #options: PodsOptions;
  /** By uid: a pod of the same name is another pod. */
  readonly #pods = new Map<string, Followed>();

  constructor(options: PodsOptions) {
    this.#options = options;
  }

  rows(): Acknowledgement[] {
    return [...this.#pods.values()].map(({ row }) => row);
  }

  set(pods: readonly FleetPod[]): void {
    const before = this.rows().map(({ pod }) => pod);
    const wanted = new Map(pods.map((pod) => [pod.uid, pod]));
    for (const [uid, { row, stop }] of this.#pods) {
      const pod = wanted.get(uid);
      if (pod !== undefined && originOf(pod) === originOf(row.pod)) continue;
      stop.abort();
      this.#pods.delete(uid);
    }
    for (const pod of wanted.values()) {
      const known = this.#pods.get(pod.uid);
      if (known === undefined) this.#start(pod);
      else known.row = { ...known.row, pod };
    }
    const after = this.rows().map(({ pod }) => pod);
    if (!isDeepStrictEqual(before, after)) this.#options.onChange();
  }

  async close(): Promise<void> {
    const followed = [...this.#pods.values()];
    this.#pods.clear();
    for (const { stop } of followed) stop.abort();
    await Promise.all(followed.map(({ ended }) => ended));
  }

  #start(pod: FleetPod): void {
    const stop = new AbortController();
    const row: Acknowledgement = { pod, answer: undefined, atMs: undefined, reachable: undefined };
    const onAnswer = (answer: PodAnswer | undefined): void => {
      if (!stop.signal.aborted) this.#note(pod.uid, answer);
    };
    const ended = follow(pod, { ...this.#options, signal: stop.signal, onAnswer });
    this.#pods.set(pod.uid, { row, stop, ended });
  }

  #note(uid: string, answer: PodAnswer | undefined): void {
    const followed = this.#pods.get(uid);
    if (followed === undefined) return;
    const before = followed.row;
    const reachable = answer !== undefined;
    const news = before.reachable !== reachable || (reachable && !isDeepStrictEqual(before.answer, answer));
    followed.row = reachable
      ? { ...before, answer, reachable, atMs: this.#options.clock.wallMs() }
      : { ...before, reachable };
    if (news) this.#options.onChange();
  }
}
