/** The fields of a credential as partners use them. */
import type { CredentialField } from '@gatehouse/crds/guardrails';
import { compileScrubber, type Scrubber } from '../../../../lib/scrub.ts';
import type { Secret } from '../../../../lib/secret.ts';
import type { CheckCredential } from '../../../contract.ts';
import { CheckFault } from '../../../outbound/index.ts';

export interface PartnerCredential {
  /** The first field that is there and not empty. */
  secret(...names: readonly string[]): Secret | undefined;
  /** As `secret`, for values that may be shown. */
  text(...names: readonly string[]): string | undefined;
  /** Takes the credential out of answers. */
  readonly scrubber: Scrubber;
}

export function openCredential(values: CheckCredential, fields: readonly CredentialField[]): PartnerCredential {
  const secret = (...names: readonly string[]): Secret | undefined => {
    for (const name of names) {
      const value = values.get(name);
      if (value !== undefined && value.reveal().trim() !== '') return value;
    }
    return undefined;
  };
  const hidden = fields.flatMap((field) => (field.secret ? (secret(field.name)?.reveal().trim() ?? []) : []));
  return {
    secret,
    text: (...names) =>
      secret(...names)
        ?.reveal()
        .trim(),
    scrubber: compileScrubber(hidden),
  };
}

export const missing = (names: readonly string[]): CheckFault =>
  new CheckFault(
    'CredentialError',
    `The credential of the check has no ${names.join(' and no ')}; add it to the Secret or Integration of the check`,
  );

/** The value of a field that the check cannot do without. Throws CheckFault. */
export function needed(credential: PartnerCredential, ...names: readonly string[]): string {
  const value = credential.text(...names);
  if (value === undefined) throw missing(names.slice(0, 1));
  return value;
}

/** The names of required fields that are not there. */
export const missingFields = (credential: PartnerCredential, fields: readonly CredentialField[]): readonly string[] =>
  fields.filter(({ name, required }) => required && credential.secret(name) === undefined).map(({ name }) => name);

/** A host of the credential: a name or address with an optional port, and nothing that would change path or user. */
const DOMAIN = /^[A-Za-z0-9.-]+(?::[0-9]{1,5})?$/;

/** The base URL on a domain of the credential, with `prefix` in front of it. Throws CheckFault. */
export function onDomain(credential: PartnerCredential, name: string, prefix = ''): string {
  const domain = needed(credential, name);
  if (!DOMAIN.test(domain)) throw new CheckFault('CredentialError', `The field ${name} of the credential is no domain`);
  return `https://${prefix}${domain}`;
}
