/**
 * The hosts that a stored credential may be sent to: those that its owner or a higher rank names, and those the
 * deployment trusts. Otherwise the holder of a gateway key could read it at a host of their own, or have other requests
 * signed with it.
 */
import { PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';
import { AppError } from '../../../errors/index.ts';
import type { Principal } from '../../../routing/index.ts';
import { type HostPolicy, mayReceiveCredentials } from '../../../upstream/host-guard/index.ts';

const RANKS: Readonly<Record<Principal, number>> = { client: 0, workspace: 1, organisation: 2 };

export const ranksBelow = (one: Principal, other: Principal): boolean => RANKS[one] < RANKS[other];

export interface NamedHost {
  readonly url: string;
  readonly namedBy: Principal;
  /** Header or field that names it. */
  readonly param: string;
}

/** Throws CUSTOM_HOST_REFUSED when the credential of the owner must not go to the host. */
export function checkCredentialScope({ url, namedBy, param }: NamedHost, owner: Principal, hosts: HostPolicy): void {
  if (!ranksBelow(namedBy, owner) || mayReceiveCredentials(url, hosts)) return;
  throw refused(param, 'a stored credential is only sent to hosts that TRUSTED_CUSTOM_HOSTS names');
}

/**
 * The settings that a config below the owner may add to a stored account: those that the account leaves open, except the
 * ones that decide where the credential is sent or what it reaches.
 */
export function allowedAdditions(
  { id, values }: { readonly id: string; readonly values: ReadonlyMap<string, unknown> },
  settings: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const fields = PROVIDER_CATALOGUE.get(id)?.fields ?? [];
  for (const { key, kind, url } of fields) {
    if (!settings.has(key)) continue;
    if (url === true) throw refused(key, 'the address of a stored provider belongs into its resource');
    if ((kind === 'routing' || kind === 'secret') && !values.has(key)) throw settingRefused(key);
  }
  return new Map([...settings].filter(([key]) => !values.has(key)));
}

/** The error for a setting of a stored account that only its owner may make. */
export const settingRefused = (param: string): AppError =>
  new AppError('ACCOUNT_SETTING_REFUSED', {
    param,
    detail: `${param} decides what a stored credential reaches: it belongs into the resource of the account`,
  });

const refused = (param: string, reason: string): AppError =>
  new AppError('CUSTOM_HOST_REFUSED', { param, detail: `Invalid custom host passed: ${param}: ${reason}` });
