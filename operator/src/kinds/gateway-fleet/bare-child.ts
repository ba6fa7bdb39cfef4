import { bareMetadata, type KubeObject, keyOf, type Store } from '../../runtime/index.ts';
import { weigh } from '../../translate/index.ts';
import type { FleetObject } from './kube-kinds.ts';

/** Beside what its fleet says: defaults, and what the platform and its controllers add. */
const ROOM_BYTES = 64 * 1024;
/** Of a child as JSON to its fleet. */
const MOST_TIMES = 2;

/**
 * A child as far as it is kept: whole while it is its fleet's and no larger than that explains, since all of it is compared with
 * what the fleet wants. Of what only has the labels of a child, it is known that it is there.
 */
export function childKeeper(fleets: Pick<Store<FleetObject>, 'get'>) {
  return <T extends KubeObject>(child: T): T => {
    const { apiVersion, kind, metadata } = child;
    const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
    const fleet = owner && fleets.get(keyOf({ namespace: metadata.namespace, name: owner.name }));
    const isOwned = fleet !== undefined && fleet.metadata.uid === owner?.uid;
    if (isOwned && bytesOf(child) <= MOST_TIMES * bytesOf(fleet) + ROOM_BYTES) return child;
    // Every member that Kinds of children add is optional.
    return { apiVersion, kind, metadata: bareMetadata(metadata, { owner: true }) } as T;
  };
}

const bytesOf = (object: KubeObject): number => weigh({ metadata: object.metadata, spec: object }).bytes;
