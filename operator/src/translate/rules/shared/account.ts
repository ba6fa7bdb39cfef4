/** What VirtualKey and Integration have in common: an account at a provider. */

import { err, ok, type Result } from '@gatehouse/crds';
import { HEADER_VALUE } from '@gatehouse/crds/headers';
import type { Integration, VirtualKey } from '@gatehouse/crds/kinds';
import { API_KEY, PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';
import { type EntryBody, entryId, type ReachBody } from '@gatehouse/crds/snapshot';
import { credentialName } from '../../incremental/index.ts';
import type { EntryDraft, Lookups, ObjectScope } from '../../types/index.ts';
import { type Finding, missing, secretKeyOf, secretUnread } from '../../types/index.ts';
import { foreignSecret, givenFields, noHeaderValue, readCredential } from './credential.ts';
import type { IdentityGrant } from './identity-grants.ts';
import { readMappings, referencesOf } from './secret-mappings.ts';
import { textOf } from './secret-text.ts';

type Account = VirtualKey | Integration;

export interface AccountCredential {
  /** Id of the credential entry. */
  readonly credential: string | undefined;
  readonly entries: readonly EntryDraft[];
  readonly findings: readonly Finding[];
}

/** The credential of an account. The colon keeps the names of different Kinds apart: no object name has one. */
export function accountCredential(
  { kind, metadata, spec }: Account,
  scope: ObjectScope,
  view: Lookups,
): AccountCredential {
  const { namespace, workspace } = scope;
  const { secretRef } = spec;
  if (!hasSecrets(spec)) return { credential: undefined, entries: [], findings: [] };
  const mapped = readMappings(spec.secretMappings, scope, view);
  const fields =
    secretRef === undefined
      ? ok({})
      : readCredential(view, {
          kind,
          namespace,
          ref: secretRef,
          provider: PROVIDER_CATALOGUE.get(spec.provider),
          given: new Set([...givenFields(spec), ...(spec.secretMappings ?? []).map(({ field }) => field)]),
          optional: spec.customHost !== undefined,
          path: ['spec', 'secretRef'],
        });
  const foreign = secretRef === undefined ? undefined : foreignSecret(secretRef, namespace);
  const name = credentialName([kind, metadata.name], foreign, referencesOf(spec.secretMappings));
  const credential = entryId('credential', workspace, name);
  const unread = [...(fields.ok ? [] : [fields.error]), ...(mapped.ok ? [] : mapped.error)];
  if (!fields.ok || !mapped.ok) return { credential, entries: [], findings: unread };
  const unsendable = mappedKeyProblem(mapped.value, spec);
  if (unsendable !== undefined) return { credential, entries: [], findings: [unsendable] };
  const found = readHeaders(spec, namespace, view);
  if (!found.ok) return { credential, entries: [], findings: [found.error] };
  const modelHeaders = modelHeadersOf(spec);
  const body = {
    fields: { ...fields.value, ...mapped.value },
    ...(Object.keys(found.value).length === 0 ? {} : { headers: found.value }),
    ...(Object.keys(modelHeaders).length === 0 ? {} : { modelHeaders }),
  };
  return { credential, entries: [{ kind: 'credential', workspace, name, body }], findings: [] };
}

/** Whether the account has a secret entry: for a credential, or for headers, which may hold one. */
export const hasSecrets = (spec: AccountSecrets): boolean => {
  const { secretRef, secretMappings = [], headers = {}, headersFrom = [] } = spec;
  if (secretRef !== undefined || secretMappings.length > 0 || Object.keys(headers).length + headersFrom.length > 0)
    return true;
  return Object.keys(modelHeadersOf(spec)).length > 0;
};

type AccountSecrets = Pick<Account['spec'], 'secretRef' | 'secretMappings' | 'headers' | 'headersFrom'> & {
  readonly models?: Account['spec']['models'] | undefined;
};

/** An API key is always sent as a header. */
function mappedKeyProblem(
  fields: Readonly<Record<string, string>>,
  { secretMappings = [] }: AccountSecrets,
): Finding | undefined {
  const apiKey = fields[API_KEY];
  if (apiKey === undefined || HEADER_VALUE.test(apiKey.trim())) return undefined;
  const at = secretMappings.findIndex(({ field }) => field === API_KEY);
  const message = 'the value has characters that no header can carry, such as typographic quotes or line breaks';
  return missing(['spec', 'secretMappings', at], message, 'keep');
}

/** Headers of the enabled models of an Integration, by model; a VirtualKey lists names alone. */
function modelHeadersOf({ models = [] }: AccountSecrets): Readonly<Record<string, Record<string, string>>> {
  const withHeaders = models.flatMap((model) =>
    typeof model === 'string' || !model.enabled || Object.keys(model.headers ?? {}).length === 0
      ? []
      : [[model.slug, { ...model.headers }] as const],
  );
  return Object.fromEntries(withHeaders);
}

/** Custom headers; those from Secrets override the others. */
function readHeaders(
  { headers = {}, headersFrom = [] }: AccountSecrets,
  namespace: string,
  view: Lookups,
): Result<Readonly<Record<string, string>>, Finding> {
  const values = new Map(Object.entries(headers));
  for (const [at, { name, secretRef }] of headersFrom.entries()) {
    const value = readHeader({ namespace, ...secretRef }, ['spec', 'headersFrom', at, 'secretRef'], view);
    if (!value.ok) return value;
    for (const known of values.keys()) if (known.toLowerCase() === name.toLowerCase()) values.delete(known);
    values.set(name, value.value);
  }
  return ok(Object.fromEntries(values));
}

interface SecretEntry {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

function readHeader(
  { namespace, name, key }: SecretEntry,
  path: Finding['path'],
  view: Lookups,
): Result<string, Finding> {
  const lost = (message: string) => err(missing(path, message, 'keep', [secretKeyOf(namespace, name)]));
  const data = view.secret(namespace, name);
  const why = data === undefined ? secretUnread(path, { namespace, secret: name, view }) : undefined;
  if (why !== undefined) return err(why);
  const value = data === undefined ? undefined : textOf(data, key)?.trim();
  if (value === undefined || value === '') return lost(`the Secret ${name} does not exist or has no entry ${key}`);
  return HEADER_VALUE.test(value) ? ok(value) : lost(noHeaderValue(name, key));
}

type AccountMember =
  | 'provider'
  | 'settings'
  | 'headers'
  | 'deployments'
  | 'customHost'
  | 'credential'
  | 'ownIdentity'
  | 'proxyPaths'
  | 'inspectStreamForOverload';

/** The members of a provider entry that the account determines. */
export function accountBody(
  { provider, settings, customHost, deployments, proxyPaths, inspectStreamForOverload }: Account['spec'],
  credential: string | undefined,
  lending: IdentityGrant,
  reach: ReachBody | undefined,
): Pick<EntryBody<'provider'>, AccountMember | 'reach'> {
  return {
    ...lending.body,
    provider,
    settings: { ...settings, ...lending.settings },
    headers: {}, // they are secret and are in the credential entry
    deployments: [...(deployments ?? [])],
    ...(customHost === undefined ? {} : { customHost }),
    ...(proxyPaths === 'All' ? { proxyPaths } : {}),
    ...(inspectStreamForOverload === undefined ? {} : { inspectStreamForOverload }),
    ...(credential === undefined ? {} : { credential }),
    ...(reach === undefined ? {} : { reach }),
  };
}
