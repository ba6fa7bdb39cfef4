/** Decides whether a manifest of the API server may be loaded: docs/behaviour/publishing.md#order. Pure. */
import { err, ok, type Result } from '@gatehouse/crds';
import {
  compareRevisions,
  contentDigest,
  type Manifest,
  parseManifest,
  type Revision,
  revisionOf,
} from '@gatehouse/crds/snapshot';
import type { ManifestObject } from './api.ts';

export interface CandidateManifest {
  readonly object: ManifestObject;
  readonly manifest: Manifest;
  /** Content digest. */
  readonly digest: string;
}

export interface KnownRevisions {
  /** The last accepted candidate. */
  readonly latest: CandidateManifest | undefined;
  /** The revision that was served before this process started. */
  readonly remembered: Revision;
}

export interface ManifestRejection {
  /** The rejected revision, if it could be read. */
  readonly revision: Revision | undefined;
  readonly message: string;
}

/** Rejects an unreadable manifest, a revision before the known one, and the known revision with other content. */
export function readCandidate(
  object: ManifestObject,
  { latest, remembered }: KnownRevisions,
): Result<CandidateManifest, ManifestRejection> {
  const parsed = parseManifest(object.text);
  if (!parsed.ok) return parsed;
  const manifest = parsed.value;
  const digest = contentDigest(manifest);
  const revision = revisionOf(manifest);
  const known = latest === undefined ? remembered : revisionOf(latest.manifest);
  const order = compareRevisions(revision, known);
  if (order < 0)
    return err({ revision, message: `${nameOf(revision)} comes before ${nameOf(known)}, which was there already` });
  if (order === 0 && latest !== undefined && latest.digest !== digest)
    return err({ revision, message: `${nameOf(revision)} was there already with other content` });
  return ok({ object, manifest, digest });
}

const nameOf = ({ epoch, version }: Revision): string => `version ${version} of epoch ${epoch}`;
