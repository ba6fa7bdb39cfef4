/** Worlds for the tests of this folder, from objects as they are in files. */
import { isObject } from '@gatehouse/crds';
import { DEFAULT_TARGET_CAPS } from '@gatehouse/crds/config';
import { API_VERSION, isKindName, KINDS, type KindName } from '@gatehouse/crds/kinds';
import {
  objectKey,
  type ReferenceGrant,
  type SecretData,
  type World,
  type WorldObject,
  type WorldSettings,
} from './types/index.ts';

export interface TestObject {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly metadata: WorldObject['metadata'];
  readonly [member: string]: unknown;
}

interface WorldOptions {
  readonly settings?: Partial<WorldSettings>;
  readonly served?: readonly string[];
}

const NAMESPACED_BY_HAND: ReadonlySet<string> = new Set(['Namespace']);

/** `Kind/namespace/name`, as tests name objects to remove. */
export function testKey({ kind, metadata }: TestObject): string {
  const cluster = NAMESPACED_BY_HAND.has(kind) || (isKindName(kind) && KINDS[kind].scope === 'Cluster');
  return `${kind}/${objectKey(cluster ? undefined : metadata.namespace, metadata.name)}`;
}

export function worldOf(objects: Iterable<TestObject>, { settings, served }: WorldOptions = {}): World {
  const resources = new Map<KindName, Map<string, WorldObject>>();
  const secrets = new Map<string, SecretData>();
  const namespaces = new Map<string, ReadonlyMap<string, string>>();
  const referenceGrants = new Map<string, readonly ReferenceGrant[]>();
  for (const object of objects) {
    const { kind, metadata } = object;
    const key = testKey(object).slice(kind.length + 1);
    if (kind === 'Secret') secrets.set(key, dataOf(object));
    else if (kind === 'Namespace') namespaces.set(key, textsOf(metadata['labels']));
    else if (kind === 'ReferenceGrant') {
      const there = referenceGrants.get(metadata.namespace ?? '') ?? [];
      referenceGrants.set(metadata.namespace ?? '', [...there, grantOf(object)]);
    } else if (isKindName(kind))
      resources.set(kind, (resources.get(kind) ?? new Map()).set(key, toWorldObject(object, kind)));
    else throw new Error(`no test object has the kind ${kind}`);
  }
  return {
    resources,
    secrets,
    namespaces,
    referenceGrants,
    settings: {
      organisationNamespace: 'gatehouse-system',
      consent: 'implied',
      mintsKeys: false,
      caps: DEFAULT_TARGET_CAPS,
      ...settings,
    },
    served: served === undefined ? 'all' : new Set(served),
  };
}

// The same object gives the same world object, as a store does.
const KNOWN_OBJECTS = new WeakMap<TestObject, WorldObject>();
const KNOWN_DATA = new WeakMap<TestObject, SecretData>();

function toWorldObject(object: TestObject, kind: KindName): WorldObject {
  const known = KNOWN_OBJECTS.get(object) ?? { apiVersion: API_VERSION, ...object, kind };
  KNOWN_OBJECTS.set(object, known);
  return known;
}

function dataOf(object: TestObject): SecretData {
  const owner = controllerOf(object.metadata['ownerReferences']);
  const known = KNOWN_DATA.get(object) ?? Object.assign(textsOf(object['stringData']), { owner });
  KNOWN_DATA.set(object, known);
  return known;
}

const controllerOf = (references: unknown): string | undefined => {
  const owner = Array.isArray(references) ? references.find((reference) => reference.controller === true) : undefined;
  return owner === undefined ? undefined : String(owner.uid);
};

// Tests write whole grants.
const grantOf = ({ spec }: TestObject): ReferenceGrant => spec as ReferenceGrant;

const textsOf = (value: unknown): ReadonlyMap<string, string> =>
  new Map(Object.entries(isObject(value) ? value : {}).map(([name, text]) => [name, String(text)]));

/** Freezes a value with everything in it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
