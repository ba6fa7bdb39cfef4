import { digestOf } from '@gatehouse/crds/snapshot';
import { stableUuid } from '../stable-uuid.ts';
import type { StoredObject } from '../store/index.ts';

export type Versioned = Pick<StoredObject, 'spec'> & { readonly meta: Pick<StoredObject['meta'], 'uid'> };

/** Of the content alone: a write of the status does not change it, and the same content has the same one. */
export const contentDigest = ({ spec }: Pick<Versioned, 'spec'>): string => digestOf(JSON.parse(JSON.stringify(spec)));

/** The UUID of a version of an object. */
export const versionId = (uid: string, digest: string): string => stableUuid(`${uid}/${digest}`);

/** The UUID of the content that the object has now. */
export const versionIdOf = (object: Versioned): string => versionId(object.meta.uid, contentDigest(object));
