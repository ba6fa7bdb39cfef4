import type { KindName } from '@gatehouse/crds/kinds';
import type { AnyEntry, EntryKind } from '@gatehouse/crds/snapshot';
import type { Verdict } from '../types/index.ts';

export const keyOf = (kind: KindName, workspace: string | null, name: string): string =>
  `${kind}/${workspace ?? ''}/${name}`;

interface Origin {
  readonly kind: KindName;
  readonly name: string;
}

export function originOf(entry: AnyEntry): Origin | undefined {
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
export const entryName = ({ id }: AnyEntry): string => id.split('/').slice(2).join('/');

const CREDENTIAL_KINDS = ['VirtualKey', 'Integration', 'GatewayConfig'] as const;

/** The object a credential entry was made of; see `credentialName`. */
export function accountOf(credentialId = ''): Origin | undefined {
  const [kind, name] = credentialId.split('/').slice(2).join('/').split(FOREIGN)[0]?.split(':') ?? [];
  const known = CREDENTIAL_KINDS.find((candidate) => candidate === kind);
  return known === undefined || name === undefined ? undefined : { kind: known, name };
}

/** Stands in no name of an object. */
export const FOREIGN = '@';

/** The name of a credential entry. One read in another namespace says where, so that its permission can be asked for again. */
export function credentialName(parts: readonly string[], foreign?: { namespace: string; secret: string }): string {
  const place = foreign === undefined ? '' : `${FOREIGN}${foreign.namespace}${FOREIGN}${foreign.secret}`;
  return `${parts.join(':')}${place}`;
}
