/** Which accounts use the identity of the gateway's pod, and for what: docs/behaviour/cloud-identities.md. */
import { PROVIDER_CATALOGUE, type ProviderEntry } from './catalogue.ts';
import type { Cloud } from './pod-identity.ts';

/** The members of an account that decide how it authenticates. */
export interface IdentityAccount {
  readonly settings?: Readonly<Record<string, string>> | undefined;
  readonly customHost?: string | undefined;
  /** Whether secret fields other than the API key are stored. */
  readonly hasSecretFields: boolean;
}

export interface IdentityRequest {
  readonly cloud: Cloud;
  /** The setting that chooses the identity. */
  readonly field: string;
  /** The setting with the external id of a role; undefined where there is no role. */
  readonly externalId: string | undefined;
}

/** The use of the pod's identity that the settings of an account choose, if any. */
export function identityRequestOf(
  provider: ProviderEntry | undefined,
  { settings = {}, hasSecretFields }: IdentityAccount,
): IdentityRequest | undefined {
  const identity = provider?.podIdentity;
  const value = identity === undefined ? undefined : settings[identity.field]?.trim();
  if (identity === undefined || value === undefined || !Object.hasOwn(identity.values, value)) return undefined;
  const use = identity.values[value];
  if (use === undefined || (use.replacedBySecret === true && hasSecretFields)) return undefined;
  return { cloud: identity.cloud, field: identity.field, externalId: use.externalId };
}

export interface IdentityProblem {
  /** A member of `settings`, or `customHost`. */
  readonly key: string;
  readonly message: string;
}

/**
 * Settings of a workspace's account that no grant covers. A token of the identity is sent to the host of the account, and its
 * scope could allow more than calling models: host and scope must be those of the provider, and no storage is read.
 */
export function podIdentityProblems(
  provider: ProviderEntry | undefined,
  { settings = {}, customHost }: Pick<IdentityAccount, 'settings' | 'customHost'>,
): IdentityProblem[] {
  const identity = provider?.podIdentity;
  if (provider === undefined || identity === undefined) return [];
  const { scopes, ofOrganisation = [], domains = [] } = identity;
  const problems: IdentityProblem[] = [];
  if (customHost !== undefined) {
    const message =
      "the identity of the gateway's pod goes to the hosts of the provider only, not to a customHost of a workspace";
    problems.push({ key: 'customHost', message });
  }
  for (const key of ofOrganisation) {
    if (settings[key] === undefined) continue;
    const message = `with the identity of the gateway's pod, only accounts of the organisation have ${key}`;
    problems.push({ key, message });
  }
  const scope = scopes === undefined ? undefined : settings[scopes.field]?.trim();
  if (scopes !== undefined && scope !== undefined && !scopes.allowed.includes(scope)) {
    const message = `with the identity of the gateway's pod, ${scopes.field} is one of ${scopes.allowed.join(', ')}`;
    problems.push({ key: scopes.field, message });
  }
  for (const { key, url } of provider.fields) {
    const address = url === true ? settings[key] : undefined;
    if (address === undefined || isBelow(address, domains)) continue;
    const message = `with the identity of the gateway's pod, ${key} is an https URL below ${domains.join(', ')}`;
    problems.push({ key, message });
  }
  return problems;
}

function isBelow(address: string, domains: readonly string[]): boolean {
  const url = URL.parse(address.trim());
  return url?.protocol === 'https:' && url.port === '' && domains.some((domain) => url.hostname.endsWith(`.${domain}`));
}

/** Whether a node of a config that names its provider directly uses the identity of the gateway's pod. */
export function nodeUsesPodIdentity(node: {
  readonly provider?: string | undefined;
  readonly settings?: Readonly<Record<string, string>> | undefined;
  readonly hasCredential: boolean;
}): boolean {
  const provider = PROVIDER_CATALOGUE.get(node.provider ?? '');
  return identityRequestOf(provider, { settings: node.settings, hasSecretFields: node.hasCredential }) !== undefined;
}
