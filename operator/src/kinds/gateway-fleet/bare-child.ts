import { bareMetadata, type KubeObject, keyOf, type Store } from '../../runtime/index.ts';
import { weigh } from '../../translate/index.ts';
import type { FleetObject } from './kube-kinds.ts';

/** Allowance for defaults, and for what the platform and its controllers add to a child. */
const ROOM_BYTES = 64 * 1024;
/** Size of a child as JSON, relative to its fleet. */
const MOST_TIMES = 2;

/**
 * How much of a child is cached: all of it while its fleet owns it and explains its size, since it is compared with the desired
 * object. Of other objects with the labels of a child only the metadata is kept.
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
