/** Whose hash it is: of ApiKeys with the same secret the oldest is served. */
import type { ApiKey, ResourceOf } from '@gatehouse/crds/kinds';
import { byAge } from './age.ts';
import { LayeredMap } from './layered-map.ts';
import { mintedSecret } from './world.ts';

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
}

export const NO_HOLDINGS: Holdings = {
  holders: new LayeredMap(),
  contested: new Set(),
  hashes: new LayeredMap(),
  fromSecrets: new Set(),
};

interface HoldingInput {
  /** Keys of the ApiKeys that are new, edited or gone. */
  readonly changed: Iterable<string>;
  resourceOf(key: string): ApiKey | undefined;
  hashOf(namespace: string, secret: string, entry: string): string | undefined;
}

export interface UpdatedHoldings {
  readonly holdings: Holdings;
  /** Keys of the ApiKeys that hold a hash with others or alone, other than before. */
  readonly affected: readonly string[];
}

/** The holdings after some ApiKeys or Secrets have changed. */
export function updateHoldings(before: Holdings, { changed, resourceOf, hashOf }: HoldingInput): UpdatedHoldings {
  const hashes = new Map<string, string | undefined>();
  const fromSecrets = new Set(before.fromSecrets);
  for (const key of new Set([...changed, ...before.fromSecrets])) {
    const resource = resourceOf(key);
    const hash = resource === undefined ? undefined : heldHash(resource, hashOf);
    if (resource !== undefined && resource.spec.sha256 === undefined) fromSecrets.add(key);
    else fromSecrets.delete(key);
    if (hash !== before.hashes.get(key)) hashes.set(key, hash);
  }
  const moved = moveHolders(before, hashes);
  const contested = new Set(before.contested);
  for (const [hash, keys = []] of moved) {
    if (keys.length > 1) contested.add(hash);
    else contested.delete(hash);
  }
  return {
    holdings: { holders: before.holders.with(moved), contested, hashes: before.hashes.with(hashes), fromSecrets },
    affected: [...moved].flatMap(([hash, keys = []]) => [...keys, ...(before.holders.get(hash) ?? [])]),
  };
}

/** The hash of the key an ApiKey brings, or of the one minted for it. */
function heldHash({ metadata, spec }: ApiKey, hashOf: HoldingInput['hashOf']): string | undefined {
  if (spec.sha256 !== undefined) return spec.sha256;
  const { name, key } = secretOf({ metadata, spec });
  return hashOf(metadata.namespace ?? '', name, key);
}

/** Where the key of an ApiKey without `sha256` is. */
export function secretOf({
  metadata,
  spec,
}: Pick<ResourceOf<'ApiKey'>, 'metadata' | 'spec'>): ReturnType<typeof mintedSecret> {
  return spec.secretRef ?? mintedSecret(metadata.name);
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
  resourceOf(key: string): ApiKey | undefined;
  isOwned(namespace: string): boolean;
}

/** The holder that counts; a key outside every workspace cannot take another's place. */
export function holderOf({ holders }: Holdings, sha256: string, { resourceOf, isOwned }: Rivalry): string | undefined {
  const keys = holders.get(sha256);
  if (keys === undefined || keys.length === 1) return keys?.[0];
  const rivals = keys.flatMap((key) => {
    const resource = resourceOf(key);
    return resource !== undefined && isOwned(resource.metadata.namespace ?? '') ? [{ key, ...resource }] : [];
  });
  return rivals.sort(byAge)[0]?.key;
}
