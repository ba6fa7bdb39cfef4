/** What VirtualKey and Integration have in common: an account at a provider. */

import { ok } from '@gatehouse/crds';
import type { Integration, VirtualKey } from '@gatehouse/crds/kinds';
import { PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';
import { type EntryBody, entryId, type ReachBody } from '@gatehouse/crds/snapshot';
import { foreignPlace, givenFields, readCredential } from '../credential.ts';
import type { Finding } from '../findings.ts';
import { credentialName } from '../last-good.ts';
import type { Lending } from '../lending.ts';
import type { Lookups } from '../lookups.ts';
import type { Draft, Place } from './contract.ts';

type Account = VirtualKey | Integration;

export interface Connection {
  /** Id of the credential entry. */
  readonly credential: string | undefined;
  readonly drafts: readonly Draft[];
  readonly findings: readonly Finding[];
}

/** The credential of an account. The colon keeps the names of different Kinds apart: no object name has one. */
export function connect({ kind, metadata, spec }: Account, { namespace, workspace }: Place, view: Lookups): Connection {
  const { secretRef, headers } = spec;
  if (!hasSecrets(spec)) return { credential: undefined, drafts: [], findings: [] };
  const fields =
    secretRef === undefined
      ? ok({})
      : readCredential(view, {
          kind,
          namespace,
          ref: secretRef,
          provider: PROVIDER_CATALOGUE.get(spec.provider),
          given: givenFields(spec),
          optional: spec.customHost !== undefined,
          path: ['spec', 'secretRef'],
        });
  const place = secretRef === undefined ? undefined : foreignPlace(secretRef, namespace);
  const name = credentialName([kind, metadata.name], place);
  const credential = entryId('credential', workspace, name);
  if (!fields.ok) return { credential, drafts: [], findings: [fields.error] };
  const body = { fields: fields.value, ...(headers === undefined ? {} : { headers }) };
  return { credential, drafts: [{ kind: 'credential', workspace, name, body }], findings: [] };
}

/** Whether the account has an entry of its own for what is secret: a credential, or headers, which may hold one. */
export const hasSecrets = ({ secretRef, headers }: Pick<Account['spec'], 'secretRef' | 'headers'>): boolean =>
  secretRef !== undefined || Object.keys(headers ?? {}).length > 0;

type AccountMember =
  | 'provider'
  | 'settings'
  | 'headers'
  | 'deployments'
  | 'customHost'
  | 'credential'
  | 'ownIdentity'
  | 'proxyPaths';

/** The members of a provider entry that an account decides. */
export function accountBody(
  { provider, settings, customHost, deployments, proxyPaths }: Account['spec'],
  credential: string | undefined,
  lending: Lending,
  reach: ReachBody | undefined,
): Pick<EntryBody<'provider'>, AccountMember | 'reach'> {
  return {
    ...lending.body,
    provider,
    settings: { ...settings, ...lending.settings },
    headers: {}, // they are secret, and stand beside the credential
    deployments: [...(deployments ?? [])],
    ...(customHost === undefined ? {} : { customHost }),
    ...(proxyPaths === 'All' ? { proxyPaths } : {}),
    ...(credential === undefined ? {} : { credential }),
    ...(reach === undefined ? {} : { reach }),
  };
}
