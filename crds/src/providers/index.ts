import { API_KEY, type FieldKind, PROVIDER_CATALOGUE, type ProviderEntry, type ProviderField } from './catalogue.ts';

export { CONVENTIONS, type Convention } from './conventions.ts';
export {
  type IdentityAccount,
  type IdentityProblem,
  type IdentityRequest,
  identityRequestOf,
  nodeUsesPodIdentity,
  podIdentityProblems,
} from './identity-request.ts';
export { CLOUDS, type Cloud, type PodIdentity } from './pod-identity.ts';
export { API_KEY, type FieldKind, PROVIDER_CATALOGUE, type ProviderEntry, type ProviderField };

/** The fields of a provider that may be in its Secret: the API key and every secret field. */
export function secretFieldsOf(provider: ProviderEntry): readonly string[] {
  return [API_KEY, ...provider.fields.filter((field) => field.kind === 'secret').map((field) => field.key)];
}

/** Required fields of the provider that are missing, one sentence per problem. */
export function fieldProblems(provider: ProviderEntry, has: (key: string) => boolean): string[] {
  return provider.requires
    .filter((group) => !group.some(has))
    .map((group) => `provider ${provider.id} needs ${group.join(' or ')}`);
}

/** The model whose price counts by the fields of a target; undefined: they name none. */
export function pricedModelOf(provider: string, read: (key: string) => string | undefined): string | undefined {
  const key = PROVIDER_CATALOGUE.get(provider)?.fields.find(({ namesPrice }) => namesPrice)?.key;
  return key === undefined ? undefined : read(key)?.trim() || undefined;
}

/** Whether the given fields are enough for a target of the provider to authenticate. */
export function canAuthenticate(provider: ProviderEntry, has: (key: string) => boolean): boolean {
  return provider.credentials.length === 0 || provider.credentials.some(has);
}

/**
 * Invalid members of `settings`: names that the provider does not have or nothing reads, and credentials, which come from a Secret. `provider` is
 * undefined where the provider is known only at run time; then credentials of any provider are refused.
 */
export function settingsProblems(
  provider: ProviderEntry | undefined,
  keys: readonly string[],
): { readonly key: string; readonly message: string }[] {
  return keys.flatMap((key) => {
    if (provider === undefined ? ALL_SECRET_FIELDS.has(key) : secretFieldsOf(provider).includes(key)) {
      return [{ key, message: `${key} is a credential; put it into the Secret that secretRef names` }];
    }
    if (provider === undefined) return [];
    const unserved = provider.fields.find((field) => field.key === key)?.unserved;
    if (unserved !== undefined) return [{ key, message: `${key} has no effect: ${unserved} not part of this version` }];
    const valid = provider.fields
      .filter(({ kind, unserved: none }) => kind !== 'secret' && none === undefined)
      .map((field) => field.key);
    if (valid.includes(key)) return [];
    const list = valid.length === 0 ? 'it has none' : `it has ${valid.join(', ')}`;
    return [{ key, message: `provider ${provider.id} has no setting ${key}; ${list}` }];
  });
}

const ALL_SECRET_FIELDS: ReadonlySet<string> = new Set([...PROVIDER_CATALOGUE.values()].flatMap(secretFieldsOf));
