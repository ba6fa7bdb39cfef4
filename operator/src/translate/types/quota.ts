import type { Quota } from '@gatehouse/crds/kinds';
import type { Weight } from './weight.ts';

export type Bound = keyof Quota;

/** An object as far as bounds are concerned. */
export interface Row {
  /** See `verdictKey`. */
  readonly key: string;
  /** Sorts by creation, then by UID; files have neither, there the name decides. */
  readonly order: string;
  readonly weight: Weight;
  /** The bound that is about objects of its Kind alone. */
  readonly bound: Bound | undefined;
}

/** A bound that an object does not fit into. */
export interface Broken {
  readonly bound: Bound;
  readonly limit: number;
}
