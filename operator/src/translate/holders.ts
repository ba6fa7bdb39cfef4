/** Whose hash it is: of two keys with the same secret the oldest is served. */
import { createHash } from 'node:crypto';
import type { ApiKey, ObjectMeta } from '@gatehouse/crds/kinds';
import { textOf } from './secret-text.ts';
import { objectKey, type SecretData } from './world.ts';

/** Orders objects by creation, then by namespace and name. Files know no creation: there the name decides. */
export function byAge(a: { readonly metadata: ObjectMeta }, b: { readonly metadata: ObjectMeta }): number {
  return compare(ageOf(a.metadata), ageOf(b.metadata)) || compare(keyOf(a.metadata), keyOf(b.metadata));
}

const ageOf = ({ creationTimestamp }: ObjectMeta): string => creationTimestamp ?? '';
const keyOf = ({ namespace, name }: ObjectMeta): string => objectKey(namespace, name);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The key that holds a hash. The claims are read once, at the first question. */
export function createHolders(
  claims: () => Iterable<readonly [hash: string, key: string, resource: ApiKey]>,
): (sha256: string) => string | undefined {
  let holders: ReadonlyMap<string, readonly [key: string, resource: ApiKey]> | undefined;
  return (sha256) => {
    holders ??= oldestOf(claims());
    return holders.get(sha256)?.[0];
  };
}

function oldestOf(claims: Iterable<readonly [hash: string, key: string, resource: ApiKey]>) {
  const holders = new Map<string, readonly [key: string, resource: ApiKey]>();
  for (const [hash, key, resource] of claims) {
    const other = holders.get(hash);
    if (other === undefined || byAge(resource, other[1]) < 0) holders.set(hash, [key, resource]);
  }
  return holders;
}

/** Lower-case hex SHA-256 of an entry of a Secret, undefined without one. Computed once per entry. */
export type SecretHasher = (data: SecretData | undefined, entry: string) => string | undefined;

export function createSecretHasher(): SecretHasher {
  const known = new WeakMap<SecretData, Map<string, string | undefined>>();
  return (data, entry) => {
    if (data === undefined) return undefined;
    const hashes = known.get(data) ?? new Map<string, string | undefined>();
    known.set(data, hashes);
    if (!hashes.has(entry)) hashes.set(entry, hashText(textOf(data, entry)));
    return hashes.get(entry);
  };
}

const hashText = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : createHash('sha256').update(text).digest('hex');
