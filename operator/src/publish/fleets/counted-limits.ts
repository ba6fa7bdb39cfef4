/** Where the pods of a fleet count limits, from their answers. */
import type { Acknowledgement } from '../index.ts';

export interface CountedLimits {
  /** Ready pods that have answered. */
  readonly ready: number;
  /** Of these: together with others in a Redis. */
  readonly shared: number;
  /** Requests with a limit are refused, since the Redis is away. */
  readonly refused: number;
  /** By themselves, by intent. */
  readonly alone: number;
  /** Why a Redis is not used, each once, sorted. */
  readonly reasons: readonly string[];
  /** Ids of the Redis servers, each once, sorted. */
  readonly stores: readonly string[];
}

/** Bounds of what is shown of texts that pods sent. */
const MAX_REASONS = 3;

export function countedLimits(table: readonly Acknowledgement[]): CountedLimits {
  const answers = table.flatMap(({ pod, answer, reachable }) =>
    pod.ready && reachable === true && answer !== undefined ? [answer] : [],
  );
  const told = answers.flatMap(({ limits }) => (limits === undefined ? [] : [limits]));
  const by = (counted: string): number => told.filter((limits) => limits.counted === counted).length;
  return {
    ready: answers.length,
    shared: by('shared'),
    refused: by('refused'),
    alone: answers.length - told.length,
    reasons: unique(told.map(({ reason }) => reason)).slice(0, MAX_REASONS),
    stores: unique(told.map(({ store }) => store)),
  };
}

const unique = (texts: readonly (string | undefined)[]): readonly string[] =>
  [...new Set(texts.filter((text) => text !== undefined))].sort();

/** Names what a fleet counts in: equal texts share their counters. Undefined: not known. */
export function countersOf(key: string, { ready, alone, stores }: CountedLimits): string | undefined {
  if (ready === 0) return undefined;
  if (alone === ready) return `pods of ${key}`;
  return alone === 0 && stores.length === 1 ? stores[0] : undefined;
}
