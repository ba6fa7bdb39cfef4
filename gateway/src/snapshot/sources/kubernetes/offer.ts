/** A manifest that the API server shows, and whether it may be taken: docs/behaviour/publishing.md. Pure. */
import { err, ok, type Result } from '@gatehouse/crds';
import {
  comparePlaces,
  contentDigest,
  type Manifest,
  type Place,
  parseManifest,
  placeOf,
} from '@gatehouse/crds/snapshot';
import type { ManifestObject } from './api.ts';

export interface Offer {
  readonly object: ManifestObject;
  readonly manifest: Manifest;
  /** Of what it has served. */
  readonly digest: string;
}

export interface Known {
  /** What was taken last. */
  readonly latest: Offer | undefined;
  /** What was served before this process began. */
  readonly remembered: Place;
}

export interface Refusal {
  /** Of what is refused, where that much could be read. */
  readonly place: Place | undefined;
  readonly message: string;
}

/** Refuses what cannot be read, what comes before what is known, and other content in the same place. */
export function readOffer(object: ManifestObject, { latest, remembered }: Known): Result<Offer, Refusal> {
  const parsed = parseManifest(object.text);
  if (!parsed.ok) return parsed;
  const manifest = parsed.value;
  const digest = contentDigest(manifest);
  const place = placeOf(manifest);
  const known = latest === undefined ? remembered : placeOf(latest.manifest);
  const order = comparePlaces(place, known);
  if (order < 0)
    return err({ place, message: `${nameOf(place)} comes before ${nameOf(known)}, which was there already` });
  if (order === 0 && latest !== undefined && latest.digest !== digest)
    return err({ place, message: `${nameOf(place)} was there already with other content` });
  return ok({ object, manifest, digest });
}

const nameOf = ({ epoch, version }: Place): string => `version ${version} of epoch ${epoch}`;
