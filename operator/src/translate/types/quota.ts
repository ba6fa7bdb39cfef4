import type { Quota } from '@gatehouse/crds/kinds';
import type { Weight } from './weight.ts';

export type QuotaBound = keyof Quota;

/** An object as far as bounds are concerned. */
export interface QuotaRow {
  /** See `verdictKey`. */
  readonly key: string;
  /** Sorts by creation, then by UID; files have neither, there the name decides. */
  readonly order: string;
  readonly weight: Weight;
  /** The bound that is about objects of its Kind alone. */
  readonly bound: QuotaBound | undefined;
}

/** A bound that an object does not fit into. */
export interface BrokenBound {
  readonly bound: QuotaBound;
  readonly limit: number;
}
