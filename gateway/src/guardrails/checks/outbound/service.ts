/** The service of a user that a check calls. */
import { readHeaders } from '@gatehouse/crds/guardrails';
import { isCredentialHeader } from '../../../lib/header-names.ts';
import { compileScrubber, type Scrubber } from '../../../lib/scrub.ts';

export interface ServiceOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** Takes credentials among the headers out of answers. */
  readonly scrubber: Scrubber | undefined;
}

/** Once for each check. `given` has passed its schema. */
export function compileService(given: unknown): ServiceOptions {
  const headers = readHeaders(given ?? {}) ?? {};
  const secrets = Object.entries(headers).flatMap(([name, value]) => (isCredentialHeader(name) ? partsOf(value) : []));
  return { headers, scrubber: secrets.length === 0 ? undefined : compileScrubber(secrets) };
}

/** Behind a scheme such as Bearer, the credential alone is secret, too. */
const partsOf = (value: string): readonly string[] => [value, ...value.split(/\s+/).slice(1)];

/** A URL as results show it: without what may be a credential. */
export function shownUrl(text: string): string {
  const url = URL.parse(text);
  return url === null ? '' : url.origin + url.pathname;
}
