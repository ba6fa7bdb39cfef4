/** Reads the secret fields of a provider from a Secret. */
import { err, ok, type Result } from '@gatehouse/crds';
import type { SecretRef } from '@gatehouse/crds/config';
import { HEADER_VALUE } from '@gatehouse/crds/headers';
import type { KindName } from '@gatehouse/crds/kinds';
import { API_KEY, canAuthenticate, fieldProblems, type ProviderEntry, secretFieldsOf } from '@gatehouse/crds/providers';
import type { Lookups, SecretData } from '../../types/index.ts';
import { type Finding, missing, notPermitted, secretKeyOf, secretUnread } from '../../types/index.ts';
import { textOf } from './secret-text.ts';

export interface CredentialRequest {
  /** The Kind of the object that has the reference. */
  readonly kind: KindName;
  readonly namespace: string;
  readonly ref: SecretRef;
  /** Undefined where the reference names a single key of the Secret and the request names the provider. */
  readonly provider: ProviderEntry | undefined;
  /** Non-secret fields that the object sets. */
  readonly given: ReadonlySet<string>;
  /** Whether the provider may be called without a credential, e.g. at a custom host. */
  readonly optional: boolean;
  /** The path of the reference. */
  readonly path: Finding['path'];
}

export type SecretFields = Readonly<Record<string, string>>;

/** `{name, key}` is the API key; `{name}` is every secret field of the provider that the Secret has. */
export function readCredential(view: Lookups, request: CredentialRequest): Result<SecretFields, Finding> {
  const { kind, namespace, ref, path } = request;
  const foreign = foreignSecret(ref, namespace);
  const home = foreign?.namespace ?? namespace;
  const refersTo = [secretKeyOf(home, ref.name)];
  const lost = (message: string) => err(missing(path, message, 'keep', refersTo));
  if (foreign !== undefined && !view.isSecretGranted(kind, namespace, foreign.namespace, foreign.secret)) {
    const message = `the Secret ${ref.name} in the namespace ${foreign.namespace} does not exist or is not granted by a ReferenceGrant there`;
    return err(notPermitted(path, message, 'withdraw', refersTo));
  }
  const data = view.secret(home, ref.name);
  if (data === undefined) {
    const why = secretUnread(path, { namespace: home, secret: ref.name, view });
    return why === undefined ? lost(`the Secret ${ref.name} does not exist`) : err(why);
  }
  if (ref.key !== undefined) {
    const apiKey = textOf(data, ref.key);
    if (apiKey === undefined) return lost(`the Secret ${ref.name} has no entry ${ref.key}`);
    return isSendable(apiKey) ? ok({ [API_KEY]: apiKey }) : lost(noHeaderValue(ref.name, ref.key));
  }
  return allFields(data, request);
}

/** Every secret field that the Secret has. */
function allFields(data: SecretData, request: CredentialRequest): Result<SecretFields, Finding> {
  const { namespace, ref, provider, path } = request;
  const home = foreignSecret(ref, namespace)?.namespace ?? namespace;
  const lost = (message: string) => err(missing(path, message, 'keep', [secretKeyOf(home, ref.name)]));
  const names = provider === undefined ? [API_KEY] : secretFieldsOf(provider);
  const fields = Object.fromEntries(
    names.flatMap((name) => {
      const text = textOf(data, name);
      return text === undefined ? [] : [[name, text] as const];
    }),
  );
  if (Object.keys(fields).length === 0) return lost(`the Secret ${ref.name} has none of ${names.join(', ')}`);
  if (!isSendable(fields[API_KEY] ?? '')) return lost(noHeaderValue(ref.name, API_KEY));
  const problems = provider === undefined ? [] : missingFields(provider, fields, request);
  return problems.length === 0 ? ok(fields) : lost(`with the Secret ${ref.name}, ${problems.join('; ')}`);
}

/** An API key is always sent as a header; other fields may be signed with, or sent in bodies. */
const isSendable = (apiKey: string): boolean => HEADER_VALUE.test(apiKey.trim());

/** The message about an entry of a Secret. */
export const noHeaderValue = (secret: string, entry: string): string =>
  `the entry ${entry} of the Secret ${secret} has characters that no header can carry, such as typographic quotes or line breaks`;

/** The namespace and Secret of a reference to another namespace. */
export function foreignSecret(
  { name, namespace }: SecretRef,
  own: string,
): { readonly namespace: string; readonly secret: string } | undefined {
  return namespace === undefined || namespace === own ? undefined : { namespace, secret: name };
}

function missingFields(
  provider: ProviderEntry,
  fields: SecretFields,
  { given, optional }: CredentialRequest,
): string[] {
  const has = (key: string): boolean => given.has(key) || Object.hasOwn(fields, key);
  const problems = fieldProblems(provider, has);
  if (!optional && !canAuthenticate(provider, has)) problems.push(`provider ${provider.id} has no credential`);
  return problems;
}

/** Names of the non-secret fields that count towards a provider's requirements. */
export function givenFields(target: {
  readonly settings?: Readonly<Record<string, string>> | undefined;
  readonly customHost?: string | undefined;
  readonly deployments?: readonly unknown[] | undefined;
}): ReadonlySet<string> {
  const given = new Set(Object.keys(target.settings ?? {}));
  if (target.customHost !== undefined) given.add('custom_host');
  if (target.deployments !== undefined) given.add('deployments');
  return given;
}
