/**
 * Where a stored credential may be sent: to what its owner or somebody above the owner names, and to the hosts the
 * deployment trusts. Otherwise the holder of a gateway key could read it at a host of their own (DESIGN section 9).
 */
import { PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';
import { AppError } from '../../errors/index.ts';
import type { Party } from '../../routing/index.ts';
import { type HostPolicy, isTrustedUrl } from '../../upstream/host-guard/index.ts';

const RANKS: Readonly<Record<Party, number>> = { client: 0, workspace: 1, organisation: 2 };

export const isBelow = (one: Party, other: Party): boolean => RANKS[one] < RANKS[other];

export interface NamedHost {
  readonly url: string;
  readonly namedBy: Party;
  /** Header or field that names it. */
  readonly param: string;
}

/** Throws CUSTOM_HOST_REFUSED when the credential of the owner must not go to the host. */
export function checkAddressee({ url, namedBy, param }: NamedHost, owner: Party, hosts: HostPolicy): void {
  if (!isBelow(namedBy, owner) || isTrustedUrl(url, hosts)) return;
  throw refused(param, 'a stored credential is only sent to hosts that TRUSTED_CUSTOM_HOSTS names');
}

/** What a config below the owner may add to a stored account: what the account leaves open, but never its address. */
export function additionsTo(
  { id, values }: { readonly id: string; readonly values: ReadonlyMap<string, string> },
  settings: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const fields = PROVIDER_CATALOGUE.get(id)?.fields ?? [];
  const address = fields.find(({ key, url }) => url === true && settings.has(key));
  if (address !== undefined) throw refused(address.key, 'the address of a stored provider belongs into its resource');
  return new Map([...settings].filter(([key]) => !values.has(key)));
}

const refused = (param: string, reason: string): AppError =>
  new AppError('CUSTOM_HOST_REFUSED', { param, detail: `Invalid custom host passed: ${param}: ${reason}` });
