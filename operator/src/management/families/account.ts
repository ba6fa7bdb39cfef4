/** Where the credential of an account goes: it is never sent elsewhere by those who do not know it. */
import { isDeepStrictEqual } from 'node:util';
import { PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';

export interface Account {
  readonly provider?: string | undefined;
  readonly customHost?: string | undefined;
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
}

/** Whether a credential goes to the same place, and reaches the same there. */
export const isSameAccount = (one: Account, other: Account): boolean => isDeepStrictEqual(reachOf(one), reachOf(other));

function reachOf({ provider, customHost, settings = {} }: Account): object {
  const fields = PROVIDER_CATALOGUE.get(provider ?? '')?.fields;
  if (fields === undefined) return { provider, customHost, ...settings }; // a service: all of them say where it is
  const routing = fields.filter(({ kind }) => kind === 'routing').map(({ key }) => [key, settings[key]]);
  return { provider, customHost, ...Object.fromEntries(routing) };
}

const SUFFIX = 6;

/**
 * The name of a new Secret for an object that has one: a new credential for another place is in a Secret of its own, so that the place
 * is never served with the old one.
 */
export const newSecretName = (name: string, randomName: (length: number) => string): string =>
  `${name}-${randomName(SUFFIX)}`;
