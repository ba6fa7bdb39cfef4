/** A manifest that the API server shows, and whether it may be taken: docs/behaviour/publishing.md. Pure. */
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
  /** Of what it has served. */
  readonly digest: string;
}

export interface KnownRevisions {
  /** What was taken last. */
  readonly latest: CandidateManifest | undefined;
  /** What was served before this process began. */
  readonly remembered: Revision;
}

export interface ManifestRejection {
  /** Of what is refused, where that much could be read. */
  readonly revision: Revision | undefined;
  readonly message: string;
}

/** Refuses what cannot be read, what comes before what is known, and a known revision with other content. */
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
