import { createHash } from 'node:crypto';
import { type CounterName, WINDOW_MS } from '../limiter.ts';

/** Longer subjects stand in keys as their digest: parts of them come from callers. */
const MAX_SUBJECT = 200;

/** All counters of one owner share the hash tag, so that one script may use them in a cluster. Never an empty tag. */
export const tagOf = (slot: string): string => `{limits:${slot}}`;

export function keyOf({ subject, slot, unit, window }: CounterName): string {
  const name = subject.length > MAX_SUBJECT ? createHash('sha256').update(subject).digest('base64url') : subject;
  return `${tagOf(slot)}:${name}:${unit}:${window}`;
}

export const sizeOf = ({ window }: CounterName): number => WINDOW_MS[window];
