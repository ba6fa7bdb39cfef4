/** Whose hash it is: of ApiKeys with the same key one is served, who has the key before who only claims its hash. */
import type { ApiKey, ObjectMeta, ResourceOf } from '@gatehouse/crds/kinds';
import { LayeredMap } from '../../incremental/index.ts';
import { byAge, mintedSecret } from '../../types/index.ts';

/** What is held, kept from one translation to the next. */
export interface KeyClaims {
  /** Keys of ApiKeys by hash. */
  readonly claimants: LayeredMap<readonly string[]>;
  /** Hashes with more than one claimant: few, so that the question whether a hash is one of them is cheap. */
  readonly contested: ReadonlySet<string>;
  /** The hash each ApiKey holds. */
  readonly hashes: LayeredMap<string>;
  /** Keys of ApiKeys whose hash comes from a Secret and changes without them. */
  readonly fromSecrets: ReadonlySet<string>;
  /** Keys of ApiKeys that say nothing of a hash now and hold the one that is served on for them. */
  readonly kept: ReadonlySet<string>;
}

export const NO_KEY_CLAIMS: KeyClaims = {
  claimants: new LayeredMap(),
  contested: new Set(),
  hashes: new LayeredMap(),
  fromSecrets: new Set(),
  kept: new Set(),
};

interface KeyClaimsInput {
  /** Keys of the ApiKeys that are new, edited or gone. */
  readonly changed: Iterable<string>;
  resourceOf(key: string): ApiKey | undefined;
  hashOf(namespace: string, secret: string, entry: string, owner?: string): string | undefined;
  /** The hash that is served for an ApiKey that is there, up to now. */
  servedHashOf(key: string): string | undefined;
}

export interface UpdatedKeyClaims {
  readonly claims: KeyClaims;
  /** Keys of the ApiKeys that hold a hash with others or alone, other than before. */
  readonly affected: readonly string[];
}

/** The claims after some ApiKeys or Secrets have changed. */
export function updateKeyClaims(before: KeyClaims, input: KeyClaimsInput): UpdatedKeyClaims {
  const { changed, resourceOf, hashOf, servedHashOf } = input;
  const hashes = new Map<string, string | undefined>();
  const fromSecrets = new Set(before.fromSecrets);
  const kept = new Set(before.kept);
  for (const key of new Set([...changed, ...before.fromSecrets, ...before.kept])) {
    const resource = resourceOf(key);
    const said = resource === undefined ? undefined : claimedHash(resource, hashOf);
    const hash = said ?? servedHashOf(key);
    mark(fromSecrets, key, resource !== undefined && resource.spec.sha256 === undefined);
    mark(kept, key, said !== hash);
    if (hash !== before.hashes.get(key)) hashes.set(key, hash);
  }
  const moved = moveClaims(before, hashes);
  const contested = new Set(before.contested);
  for (const [hash, keys = []] of moved) {
    if (keys.length > 1) contested.add(hash);
    else contested.delete(hash);
  }
  return {
    claims: {
      claimants: before.claimants.with(moved),
      contested,
      hashes: before.hashes.with(hashes),
      fromSecrets,
      kept,
    },
    affected: [...moved].flatMap(([hash, keys = []]) => [...keys, ...(before.claimants.get(hash) ?? [])]),
  };
}

function mark(marked: Set<string>, key: string, isMarked: boolean): void {
  if (isMarked) marked.add(key);
  else marked.delete(key);
}

/** The hash of the key an ApiKey brings, or of the one minted for it. */
function claimedHash({ metadata, spec }: ApiKey, hashOf: KeyClaimsInput['hashOf']): string | undefined {
  if (spec.sha256 !== undefined) return spec.sha256;
  const { name, key, owner } = keySecretOf({ metadata, spec });
  return hashOf(metadata.namespace ?? '', name, key, owner);
}

interface KeySecret extends ReturnType<typeof mintedSecret> {
  /** UID of the ApiKey whose Secret it must be: a minted key is only in the one that was made for it. */
  readonly owner?: string | undefined;
}

/** Where the key of an ApiKey without `sha256` is. */
export function keySecretOf({ metadata, spec }: Pick<ResourceOf<'ApiKey'>, 'metadata' | 'spec'>): KeySecret {
  return spec.secretRef ?? { ...mintedSecret(metadata.name), owner: metadata.uid };
}

function moveClaims(
  { claimants, hashes: before }: KeyClaims,
  hashes: ReadonlyMap<string, string | undefined>,
): ReadonlyMap<string, readonly string[] | undefined> {
  const moved = new Map<string, readonly string[] | undefined>();
  const claimantsOf = (hash: string): readonly string[] =>
    (moved.has(hash) ? moved.get(hash) : claimants.get(hash)) ?? [];
  for (const [key, hash] of hashes) {
    const old = before.get(key);
    if (old !== undefined) {
      const rest = claimantsOf(old).filter((claimant) => claimant !== key);
      moved.set(old, rest.length === 0 ? undefined : rest);
    }
    if (hash !== undefined) moved.set(hash, [...claimantsOf(hash), key]);
  }
  return moved;
}

interface ClaimContext {
  metadataOf(key: string): ObjectMeta | undefined;
  isOwned(namespace: string): boolean;
}

/** The claimant that counts, of several the oldest with the best rank; a key outside every workspace takes nobody's place. */
export function claimWinner(
  claims: KeyClaims,
  sha256: string,
  { metadataOf, isOwned }: ClaimContext,
): string | undefined {
  const keys = claims.claimants.get(sha256);
  if (keys === undefined || keys.length === 1) return keys?.[0];
  const rivals = keys.flatMap((key) => {
    const metadata = metadataOf(key);
    return metadata !== undefined && isOwned(metadata.namespace ?? '')
      ? [{ key, metadata, rank: rankOf(claims, key) }]
      : [];
  });
  return rivals.sort((a, b) => a.rank - b.rank || byAge(a, b))[0]?.key;
}

interface Contests {
  isContested(sha256: string): boolean;
  claimWinner(sha256: string): string | undefined;
}

/** Whether the hash of an ApiKey is served for another one. */
export const losesClaim = (key: string, sha256: string | undefined, { isContested, claimWinner }: Contests): boolean =>
  sha256 !== undefined && isContested(sha256) && claimWinner(sha256) !== key;

/** A hash may be known to others: the key itself proves more than having been served, and that more than a claim. */
function rankOf({ fromSecrets, kept }: KeyClaims, key: string): number {
  if (kept.has(key)) return 1;
  return fromSecrets.has(key) ? 0 : 2;
}
