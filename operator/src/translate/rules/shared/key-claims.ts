/** Whose hash it is: of ApiKeys with the same key one is served, who has the key before who only claims its hash. */
import type { ApiKey, ObjectMeta, ResourceOf } from '@gatehouse/crds/kinds';
import { LayeredMap } from '../../incremental/index.ts';
import { byAge, mintedSecret } from '../../types/index.ts';

/** What is held, kept from one translation to the next. */
export interface Holdings {
  /** Keys of ApiKeys by hash. */
  readonly holders: LayeredMap<readonly string[]>;
  /** Hashes with more than one holder: few, so that the question whether a hash is one of them is cheap. */
  readonly contested: ReadonlySet<string>;
  /** The hash each ApiKey holds. */
  readonly hashes: LayeredMap<string>;
  /** Keys of ApiKeys whose hash comes from a Secret and changes without them. */
  readonly fromSecrets: ReadonlySet<string>;
  /** Keys of ApiKeys that say nothing of a hash now and hold the one that is served on for them. */
  readonly kept: ReadonlySet<string>;
}

export const NO_HOLDINGS: Holdings = {
  holders: new LayeredMap(),
  contested: new Set(),
  hashes: new LayeredMap(),
  fromSecrets: new Set(),
  kept: new Set(),
};

interface HoldingInput {
  /** Keys of the ApiKeys that are new, edited or gone. */
  readonly changed: Iterable<string>;
  resourceOf(key: string): ApiKey | undefined;
  hashOf(namespace: string, secret: string, entry: string, owner?: string): string | undefined;
  /** The hash that is served for an ApiKey that is there, up to now. */
  servedHashOf(key: string): string | undefined;
}

export interface UpdatedHoldings {
  readonly holdings: Holdings;
  /** Keys of the ApiKeys that hold a hash with others or alone, other than before. */
  readonly affected: readonly string[];
}

/** The holdings after some ApiKeys or Secrets have changed. */
export function updateHoldings(before: Holdings, input: HoldingInput): UpdatedHoldings {
  const { changed, resourceOf, hashOf, servedHashOf } = input;
  const hashes = new Map<string, string | undefined>();
  const fromSecrets = new Set(before.fromSecrets);
  const kept = new Set(before.kept);
  for (const key of new Set([...changed, ...before.fromSecrets, ...before.kept])) {
    const resource = resourceOf(key);
    const said = resource === undefined ? undefined : heldHash(resource, hashOf);
    const hash = said ?? servedHashOf(key);
    mark(fromSecrets, key, resource !== undefined && resource.spec.sha256 === undefined);
    mark(kept, key, said !== hash);
    if (hash !== before.hashes.get(key)) hashes.set(key, hash);
  }
  const moved = moveHolders(before, hashes);
  const contested = new Set(before.contested);
  for (const [hash, keys = []] of moved) {
    if (keys.length > 1) contested.add(hash);
    else contested.delete(hash);
  }
  return {
    holdings: { holders: before.holders.with(moved), contested, hashes: before.hashes.with(hashes), fromSecrets, kept },
    affected: [...moved].flatMap(([hash, keys = []]) => [...keys, ...(before.holders.get(hash) ?? [])]),
  };
}

function mark(marked: Set<string>, key: string, isMarked: boolean): void {
  if (isMarked) marked.add(key);
  else marked.delete(key);
}

/** The hash of the key an ApiKey brings, or of the one minted for it. */
function heldHash({ metadata, spec }: ApiKey, hashOf: HoldingInput['hashOf']): string | undefined {
  if (spec.sha256 !== undefined) return spec.sha256;
  const { name, key, owner } = secretOf({ metadata, spec });
  return hashOf(metadata.namespace ?? '', name, key, owner);
}

interface KeySecret extends ReturnType<typeof mintedSecret> {
  /** UID of the ApiKey whose Secret it must be: a minted key is only in the one that was made for it. */
  readonly owner?: string | undefined;
}

/** Where the key of an ApiKey without `sha256` is. */
export function secretOf({ metadata, spec }: Pick<ResourceOf<'ApiKey'>, 'metadata' | 'spec'>): KeySecret {
  return spec.secretRef ?? { ...mintedSecret(metadata.name), owner: metadata.uid };
}

function moveHolders(
  { holders, hashes: before }: Holdings,
  hashes: ReadonlyMap<string, string | undefined>,
): ReadonlyMap<string, readonly string[] | undefined> {
  const moved = new Map<string, readonly string[] | undefined>();
  const holdersOf = (hash: string): readonly string[] => (moved.has(hash) ? moved.get(hash) : holders.get(hash)) ?? [];
  for (const [key, hash] of hashes) {
    const old = before.get(key);
    if (old !== undefined) {
      const rest = holdersOf(old).filter((holder) => holder !== key);
      moved.set(old, rest.length === 0 ? undefined : rest);
    }
    if (hash !== undefined) moved.set(hash, [...holdersOf(hash), key]);
  }
  return moved;
}

interface Rivalry {
  metadataOf(key: string): ObjectMeta | undefined;
  isOwned(namespace: string): boolean;
}

/** The holder that counts, of several the oldest with the best right; a key outside every workspace takes nobody's place. */
export function holderOf(holdings: Holdings, sha256: string, { metadataOf, isOwned }: Rivalry): string | undefined {
  const keys = holdings.holders.get(sha256);
  if (keys === undefined || keys.length === 1) return keys?.[0];
  const rivals = keys.flatMap((key) => {
    const metadata = metadataOf(key);
    return metadata !== undefined && isOwned(metadata.namespace ?? '')
      ? [{ key, metadata, right: rightOf(holdings, key) }]
      : [];
  });
  return rivals.sort((a, b) => a.right - b.right || byAge(a, b))[0]?.key;
}

interface Contests {
  isContested(sha256: string): boolean;
  holderOf(sha256: string): string | undefined;
}

/** Whether the hash of an ApiKey is served for another one. */
export const isOutranked = (key: string, sha256: string | undefined, { isContested, holderOf }: Contests): boolean =>
  sha256 !== undefined && isContested(sha256) && holderOf(sha256) !== key;

/** A hash may be known to others: the key itself proves more than having been served, and that more than a claim. */
function rightOf({ fromSecrets, kept }: Holdings, key: string): number {
  if (kept.has(key)) return 1;
  return fromSecrets.has(key) ? 0 : 2;
}
