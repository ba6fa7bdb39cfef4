import type { Quota } from '@gatehouse/crds/kinds';
import type { Weight } from './weight.ts';

export type QuotaBound = keyof Quota;

/** An object as the quota counts it. */
export interface QuotaRow {
  /** See `verdictKey`. */
  readonly key: string;
  /** Sorts by creation, then by UID; objects in files have neither and are sorted by name. */
  readonly order: string;
  readonly weight: Weight;
  /** The bound for objects of its Kind alone. */
  readonly bound: QuotaBound | undefined;
}

/** A bound that an object exceeds. */
export interface BrokenBound {
  readonly bound: QuotaBound;
  readonly limit: number;
}
