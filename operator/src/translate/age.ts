import type { ObjectMeta } from '@gatehouse/crds/kinds';
import { objectKey } from './world.ts';

interface Aged {
  readonly metadata: ObjectMeta;
}

/** Orders objects by creation, then by namespace and name. Files know no creation: there the name decides. */
export function byAge(a: Aged, b: Aged): number {
  return compare(ageOf(a), ageOf(b)) || compare(keyOf(a), keyOf(b));
}

const ageOf = ({ metadata }: Aged): string => metadata.creationTimestamp ?? '';
const keyOf = ({ metadata }: Aged): string => objectKey(metadata.namespace, metadata.name);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
