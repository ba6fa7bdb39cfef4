import { createHash } from 'node:crypto';
import type { SecretData } from '../../types/index.ts';

/** An entry of a Secret without the line break at the end, as files have it; undefined where it is empty. */
export function textOf(data: SecretData, entry: string): string | undefined {
  const text = data.get(entry)?.replace(/[\r\n]+$/, '');
  return text === '' ? undefined : text;
}

/** Lower-case hex SHA-256 of an entry of a Secret; undefined without one. Computed once per entry. */
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
