/** Names of entries, and the objects that they were made of. */
import type { KindName } from '@gatehouse/crds/kinds';
import type { AnyEntry, EntryKind } from '@gatehouse/crds/snapshot';
import type { Verdict } from '../types/index.ts';

export const keyOf = (kind: KindName, workspace: string | null, name: string): string =>
  `${kind}/${workspace ?? ''}/${name}`;

interface Origin {
  readonly kind: KindName;
  readonly name: string;
}

/** There is one Organisation; the name of an issuer's entry is that of the issuer. */
const ISSUER_ORIGIN: Origin = { kind: 'Organisation', name: 'default' };

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
    case 'guardrail':
      return { kind: 'Guardrail', name };
    case 'provider':
      return { kind: accountOf(entry.body.credential)?.kind === 'Integration' ? 'Provider' : 'VirtualKey', name };
    case 'prompt':
      return { kind: 'Prompt', name };
    case 'promptVersion':
      return { kind: 'PromptVersion', name };
    case 'partial':
      return { kind: 'PromptPartial', name };
    case 'partialVersion':
      return { kind: 'PromptPartialVersion', name };
    case 'policy':
      return policyOf(name);
    case 'credential':
      return accountOf(entry.id);
    case 'issuer':
      return ISSUER_ORIGIN;
    default:
      return undefined;
  }
}

const KINDS_OF_ENTRIES: ReadonlyMap<string, readonly KindName[]> = new Map<EntryKind, readonly KindName[]>([
  ['organisation', ['Organisation']],
  ['workspace', ['Workspace']],
  ['key', ['ApiKey']],
  ['config', ['GatewayConfig']],
  ['guardrail', ['Guardrail']],
  ['provider', ['VirtualKey', 'Provider']],
  ['prompt', ['Prompt']],
  ['promptVersion', ['PromptVersion']],
  ['partial', ['PromptPartial']],
  ['partialVersion', ['PromptPartialVersion']],
]);

/**
 * The objects that an entry may have been made of, derived from its id, as `originKey` names them. The id of a provider entry
 * fits two Kinds; only one of them can be served under a name.
 */
export function originsOf(id: string): readonly string[] {
  const [kind = '', workspace = '', ...rest] = id.split('/');
  if (kind === 'issuer') return [keyOf(ISSUER_ORIGIN.kind, null, ISSUER_ORIGIN.name)];
  const found = kind === 'credential' ? accountOf(id) : kind === 'policy' ? policyOf(rest.join('/')) : undefined;
  if (found !== undefined) return [keyOf(found.kind, workspace, found.name)];
  return (KINDS_OF_ENTRIES.get(kind) ?? []).map((origin) => keyOf(origin, workspace, rest.join('/')));
}

/** The name of an object as its entries show it: Kind, workspace and name. */
export const originKey = ({ kind, workspace, name }: Pick<Verdict, 'kind' | 'workspace' | 'name'>): string =>
  keyOf(kind, workspace ?? null, name);

/** Of an id `kind/workspace/name`: neither of the first two has a slash. */
export const entryName = ({ id }: AnyEntry): string => id.split('/').slice(2).join('/');

const CREDENTIAL_KINDS = ['VirtualKey', 'Integration', 'GatewayConfig', 'Guardrail'] as const;

/** The object that a credential entry was made of; see `credentialName`. */
export function accountOf(credentialId = ''): Origin | undefined {
  const [kind, name] = credentialId.split('/').slice(2).join('/').split(FOREIGN)[0]?.split(':') ?? [];
  const known = CREDENTIAL_KINDS.find((candidate) => candidate === kind);
  return known === undefined || name === undefined ? undefined : { kind: known, name };
}

const POLICY_KINDS = ['RateLimitPolicy', 'UsageLimitPolicy'] as const;

/** The name of a policy's entry. The colon keeps the names of the two Kinds apart: no object name has one. */
export const policyName = (kind: (typeof POLICY_KINDS)[number], name: string): string => `${kind}:${name}`;

/** The object that a policy entry was made of; see `policyName`. */
function policyOf(entry: string): Origin | undefined {
  const [kind, name] = entry.split(':');
  const known = POLICY_KINDS.find((candidate) => candidate === kind);
  return known === undefined || name === undefined ? undefined : { kind: known, name };
}

/** Separates the parts of a credential's name that say where it was read; no object name has it. */
const FOREIGN = '@';

/**
 * The name of a credential entry. One that was read in another namespace says where, so that its permission can be checked
 * again; the same holds for the SecretReferences that its values are from.
 */
export function credentialName(
  parts: readonly string[],
  foreign?: { readonly namespace: string; readonly secret: string },
  references: readonly string[] = [],
): string {
  const place = foreign === undefined ? '' : `${FOREIGN}${foreign.namespace}${FOREIGN}${foreign.secret}`;
  const taken = references.length === 0 ? '' : `${FOREIGN}${FOREIGN}${references.join(',')}`;
  return `${parts.join(':')}${place}${taken}`;
}

/** What the name of a credential entry says about its sources; see `credentialName`. */
export function sourcesOf(name: string): {
  readonly foreign: { readonly namespace: string; readonly secret: string } | undefined;
  readonly references: readonly string[];
} {
  const [place = '', references = ''] = name.split(FOREIGN + FOREIGN);
  const [, namespace, secret = ''] = place.split(FOREIGN);
  return {
    foreign: namespace === undefined ? undefined : { namespace, secret },
    references: references === '' ? [] : references.split(','),
  };
}
