/**
 * What a program that has just started is told of the time before: the entries that were published last. An object that is
 * broken by now goes on with its own, as if the program had never stopped.
 */
import { isObject } from '@gatehouse/crds';
import type { KindName } from '@gatehouse/crds/kinds';
import { PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';
import { type AnyEntry, type EntryKind, entryId, type SnapshotEntry } from '@gatehouse/crds/snapshot';
import { ALL_HOSTS, type AllowedHosts, staysWithin } from './custom-hosts.ts';
import { isOutranked } from './holders.ts';
import type { Lookups } from './lookups.ts';
import type { Verdict } from './verdict.ts';
import { objectKey, type WorldObject, type WorldSettings } from './world.ts';

/** Published entries by the object they were made of. */
export interface LastGood {
  /** Nothing of a generation that the object has not reached: that was one of the same name before it. */
  of(kind: KindName, workspace: string | null, object: Identity): readonly AnyEntry[];
}

type Identity = Pick<WorldObject['metadata'], 'name' | 'generation'>;

const NONE: readonly AnyEntry[] = [];
export const NOTHING_PUBLISHED: LastGood = { of: () => NONE };

/** Sorts published entries by their objects; one that tells no object or leads to a host that is no longer allowed is left out. */
export function createLastGood(entries: readonly AnyEntry[], allowedHosts: AllowedHosts = ALL_HOSTS): LastGood {
  const byObject = new Map<string, AnyEntry[]>();
  for (const entry of entries) {
    const origin = staysWithin(entry, allowedHosts) ? originOf(entry) : undefined;
    if (origin === undefined) continue;
    const key = keyOf(origin.kind, entry.workspace, origin.name);
    byObject.set(key, [...(byObject.get(key) ?? []), entry]);
  }
  return {
    of: (kind, workspace, { name, generation = 0 }) =>
      byObject.get(keyOf(kind, workspace, name))?.filter((entry) => entry.generation <= generation) ?? NONE,
  };
}

/** The first of several that has something of an object tells all of it. */
export const firstOf = (...all: readonly LastGood[]): LastGood => ({
  of: (kind, workspace, object) => {
    for (const lastGood of all) {
      const entries = lastGood.of(kind, workspace, object);
      if (entries.length > 0) return entries;
    }
    return NONE;
  },
});

const keyOf = (kind: KindName, workspace: string | null, name: string): string => `${kind}/${workspace ?? ''}/${name}`;

interface Origin {
  readonly kind: KindName;
  readonly name: string;
}

function originOf(entry: AnyEntry): Origin | undefined {
  const name = entryName(entry);
  switch (entry.kind) {
    case 'organisation':
      return { kind: 'Organisation', name };
    case 'workspace':
      return { kind: 'Workspace', name };
    case 'key':
      return { kind: 'ApiKey', name };
    case 'config':
      return { kind: 'GatewayConfig', name };
    case 'provider':
      return { kind: accountOf(entry.body.credential)?.kind === 'Integration' ? 'Provider' : 'VirtualKey', name };
    case 'credential':
      return accountOf(entry.id);
    default:
      return undefined;
  }
}

const KINDS_OF_ENTRIES: ReadonlyMap<string, readonly KindName[]> = new Map<EntryKind, readonly KindName[]>([
  ['organisation', ['Organisation']],
  ['workspace', ['Workspace']],
  ['key', ['ApiKey']],
  ['config', ['GatewayConfig']],
  ['provider', ['VirtualKey', 'Provider']],
]);

/**
 * The objects an entry may have been made of, told by its id alone and named as `originKey` does. An id of a provider does not
 * tell which of two Kinds it is; only one of them can be served under a name.
 */
export function originsOf(id: string): readonly string[] {
  const [kind = '', workspace = '', ...rest] = id.split('/');
  const account = kind === 'credential' ? accountOf(id) : undefined;
  if (account !== undefined) return [keyOf(account.kind, workspace, account.name)];
  return (KINDS_OF_ENTRIES.get(kind) ?? []).map((origin) => keyOf(origin, workspace, rest.join('/')));
}

/** The name of an object by what its entries tell of it: Kind, workspace and name. */
export const originKey = ({ kind, workspace, name }: Pick<Verdict, 'kind' | 'workspace' | 'name'>): string =>
  keyOf(kind, workspace ?? null, name);

/** `kind/workspace/name`: neither of the first two has a slash. */
const entryName = ({ id }: AnyEntry): string => id.split('/').slice(2).join('/');

const CREDENTIAL_KINDS = ['VirtualKey', 'Integration', 'GatewayConfig'] as const;

/** The object a credential entry was made of; see `credentialName`. */
function accountOf(credentialId = ''): Origin | undefined {
  const [kind, name] = credentialId.split('/').slice(2).join('/').split(FOREIGN)[0]?.split(':') ?? [];
  const known = CREDENTIAL_KINDS.find((candidate) => candidate === kind);
  return known === undefined || name === undefined ? undefined : { kind: known, name };
}

/** Stands in no name of an object. */
const FOREIGN = '@';

/** The name of a credential entry. One read in another namespace says where, so that its permission can be asked for again. */
export function credentialName(parts: readonly string[], foreign?: { namespace: string; secret: string }): string {
  const place = foreign === undefined ? '' : `${FOREIGN}${foreign.namespace}${FOREIGN}${foreign.secret}`;
  return `${parts.join(':')}${place}`;
}

/** An identity that was lent to a workspace is given back with the grant, whatever has become of the object. */
function isStillLent({ workspace, body }: SnapshotEntry<'provider'>, view: Lookups): boolean {
  if (body.ownIdentity !== true || workspace === null) return true;
  const cloud = PROVIDER_CATALOGUE.get(body.provider)?.podIdentity?.cloud;
  return cloud !== undefined && view.isIdentityLent(workspace, cloud);
}

interface Broken {
  readonly kind: KindName;
  readonly object: WorldObject;
  /** Where the object stands; empty for a cluster-scoped Kind. */
  readonly namespace: string;
  readonly settings: WorldSettings;
}

/** What of its last good entries a broken object may keep although nobody can say any more what they were made of. */
export function stillPermitted(entries: readonly AnyEntry[], broken: Broken, view: Lookups): readonly AnyEntry[] {
  if (entries.length === 0 || !mayStay(broken, view)) return NONE;
  return entries.every((entry) => isPermitted(entry, broken, view)) ? entries : NONE;
}

/** A workspace must still have its namespace, and of several objects with one slug or key only one can be served. */
function mayStay({ kind, object, namespace }: Broken, view: Lookups): boolean {
  const { name } = object.metadata;
  if (kind === 'Workspace') return view.ownerOf(namespaceOf(object) ?? '') === name;
  if (kind === 'VirtualKey') return view.find('Provider', namespace, name) === undefined;
  if (kind === 'Provider') return view.find('VirtualKey', namespace, name) === undefined;
  const key = objectKey(namespace, name);
  return kind !== 'ApiKey' || !isOutranked(key, view.heldHash(key), view);
}

function isPermitted(entry: AnyEntry, broken: Broken, view: Lookups): boolean {
  const { kind, namespace } = broken;
  if (entry.kind === 'provider' && !isStillLent(entry, view)) return false;
  if (entry.kind === 'provider' && kind === 'Provider') return isUsable(entry, broken, view);
  if (entry.kind !== 'credential') return true;
  const [, from, secret] = entryName(entry).split(FOREIGN);
  return from === undefined || view.isSecretGranted(kind, namespace, from, secret ?? '');
}

/** The Integration behind a Provider must be what it was, and the workspace's to use. */
function isUsable({ body, workspace }: SnapshotEntry<'provider'>, broken: Broken, view: Lookups): boolean {
  const { credential = '' } = body;
  const integration = accountOf(credential)?.name ?? '';
  const shared = workspace !== null && credential.startsWith(entryId('credential', null, ''));
  if (shared && !view.isGranted(integration, workspace)) return false;
  const place = shared ? broken.settings.organisationNamespace : broken.namespace;
  return view.credentialOf(objectKey(place, integration)) === credential;
}

/** The namespace a broken Workspace asks for: it cannot change, so that the last good one asked for the same. */
export function namespaceOf({ spec }: WorldObject): string | undefined {
  const namespace = isObject(spec) ? spec['namespace'] : undefined;
  return typeof namespace === 'string' ? namespace : undefined;
}
