/**
 * Resolves ApiKeys with the same hash: one of them is served. Proof of the key wins over having been served, and that over a
 * claim.
 */
import type { ApiKey, ObjectMeta, ResourceOf } from '@gatehouse/crds/kinds';
import { LayeredMap } from '../../incremental/index.ts';
import { byAge, mintedSecret } from '../../types/index.ts';

/** The claims of all ApiKeys, kept from one translation to the next. */
export interface KeyClaims {
  /** Keys of ApiKeys, and their `previousClaim`, by hash. */
  readonly claimants: LayeredMap<readonly string[]>;
  /** Hashes with more than one claimant: few, so that checking for one of them is cheap. */
  readonly contested: ReadonlySet<string>;
  /** The hash that each claimant claims. */
  readonly hashes: LayeredMap<string>;
  /** Keys of ApiKeys whose hash comes from a Secret, which can change without the ApiKey. */
  readonly fromSecrets: ReadonlySet<string>;
  /** Keys of ApiKeys that name no hash now and claim the one that is still served for them. */
  readonly kept: ReadonlySet<string>;
}

export const NO_KEY_CLAIMS: KeyClaims = {
  claimants: new LayeredMap(),
  contested: new Set(),
  hashes: new LayeredMap(),
  fromSecrets: new Set(),
  kept: new Set(),
};

/**
 * Who claims the hash of the previous key of an ApiKey. No name of an object has this end, and such a claim yields to those of
 * current keys.
 */
export const previousClaim = (key: string): string => key + PREVIOUS;
const PREVIOUS = '#previous';
const isPrevious = (claimant: string): boolean => claimant.endsWith(PREVIOUS);
const apiKeyOf = (claimant: string): string => (isPrevious(claimant) ? claimant.slice(0, -PREVIOUS.length) : claimant);

interface KeyClaimsInput {
  /** Keys of new, edited and removed ApiKeys. */
  readonly changed: Iterable<string>;
  resourceOf(key: string): ApiKey | undefined;
  hashOf(namespace: string, secret: string, entry: string, owner?: string): string | undefined;
  /** The hash that is served for an existing ApiKey up to now. */
  servedHashOf(key: string): string | undefined;
}

export interface UpdatedKeyClaims {
  readonly claims: KeyClaims;
  /** Keys of the ApiKeys whose hash has gained or lost a claimant. */
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
    const previous = previousClaim(key);
    const previousHash = resource?.spec.previousKey?.sha256;
    if (previousHash !== before.hashes.get(previous)) hashes.set(previous, previousHash);
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
    affected: [...moved].flatMap(([hash, keys = []]) => [...keys, ...(before.claimants.get(hash) ?? [])].map(apiKeyOf)),
  };
}

function mark(marked: Set<string>, key: string, isMarked: boolean): void {
  if (isMarked) marked.add(key);
  else marked.delete(key);
}

/** The hash of the key that an ApiKey names, or of the one minted for it. */
function claimedHash({ metadata, spec }: ApiKey, hashOf: KeyClaimsInput['hashOf']): string | undefined {
  if (spec.sha256 !== undefined) return spec.sha256;
  const { name, key, owner } = keySecretOf({ metadata, spec });
  return hashOf(metadata.namespace ?? '', name, key, owner);
}

interface KeySecret extends ReturnType<typeof mintedSecret> {
  /** UID of the ApiKey that must own the Secret: a minted key is read only from the Secret that was made for it. */
  readonly owner?: string | undefined;
}

/** The Secret and entry with the key of an ApiKey without `sha256`. */
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

/**
 * The ApiKey that is served for a hash: the best rank, then the oldest. A claimant outside every workspace never wins against
 * others.
 */
export function claimWinner(
  claims: KeyClaims,
  sha256: string,
  { metadataOf, isOwned }: ClaimContext,
): string | undefined {
  const keys = claims.claimants.get(sha256);
  if (keys === undefined || keys.length === 1) return keys?.[0];
  const rivals = keys.flatMap((key) => {
    const metadata = metadataOf(apiKeyOf(key));
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

/** Others may know a hash: the key itself proves more than having been served, and that more than a claim. */
function rankOf({ fromSecrets, kept }: KeyClaims, key: string): number {
  if (isPrevious(key)) return 3;
  if (kept.has(key)) return 1;
  return fromSecrets.has(key) ? 0 : 2;
}
