/** From objects of the cluster to what a translation reads. */
import { isKindName } from '@gatehouse/crds/kinds';
import type { KubeObject } from '../runtime/index.ts';
import type { ReferenceGrant, SecretData, WorldObject } from '../translate/index.ts';
import type { CustomObject, ReferenceGrantObject, SecretObject } from './kind-refs.ts';

/**
 * The object, or the previous one while only status or managed fields differ: a status that the operator writes must not cost a
 * translation.
 */
export function toWorldObject(object: CustomObject, before: WorldObject | undefined): WorldObject | undefined {
  const { kind } = object;
  if (!isKindName(kind)) return undefined;
  // Metadata are kept once; an index signature is all that the other type has in addition.
  const value = { ...object, kind, metadata: object.metadata as WorldObject['metadata'] };
  return before !== undefined && wish(before) === wish(value) ? before : value;
}

function wish({ metadata, weight }: WorldObject): string {
  const { generation, deletionTimestamp } = metadata;
  return JSON.stringify([metadata['uid'], generation, deletionTimestamp, metadata['labels'], weight === undefined]);
}

/** The entries of a Secret as text; the same Map as long as they are the same. */
export function toSecretData({ data = {}, metadata }: SecretObject, before: SecretData | undefined): SecretData {
  const known = before instanceof DecodedSecret ? before : undefined;
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
  return known?.owner === owner && known?.isOf(data) === true ? known : new DecodedSecret(data, owner);
}

class DecodedSecret implements SecretData {
  readonly owner: string | undefined;
  readonly #encoded: Readonly<Record<string, string>>;
  readonly #texts = new Map<string, string>();

  constructor(encoded: Readonly<Record<string, string>>, owner: string | undefined) {
    this.#encoded = encoded;
    this.owner = owner;
  }

  get(key: string): string | undefined {
    const known = this.#texts.get(key);
    if (known !== undefined || !Object.hasOwn(this.#encoded, key)) return known;
    const text = Buffer.from(this.#encoded[key] ?? '', 'base64').toString('utf8');
    this.#texts.set(key, text);
    return text;
  }

  isOf(encoded: Readonly<Record<string, string>>): boolean {
    const keys = Object.keys(encoded);
    return (
      keys.length === Object.keys(this.#encoded).length && keys.every((key) => encoded[key] === this.#encoded[key])
    );
  }
}

export type Labels = ReadonlyMap<string, string>;

/** The labels of an object; the same Map as long as they are the same. */
export function toLabels({ metadata: { labels = {} } }: KubeObject, before: Labels | undefined): Labels {
  const entries = Object.entries(labels);
  const same = before?.size === entries.length && entries.every(([name, value]) => before.get(name) === value);
  return same && before !== undefined ? before : new Map(entries);
}

/** A grant with both sides; without one of them it grants nothing. */
export function toGrant({ spec }: ReferenceGrantObject, before: ReferenceGrant | undefined): ReferenceGrant {
  const grant = { from: spec?.from ?? [], to: spec?.to ?? [] };
  return before !== undefined && JSON.stringify(before) === JSON.stringify(grant) ? before : grant;
}
