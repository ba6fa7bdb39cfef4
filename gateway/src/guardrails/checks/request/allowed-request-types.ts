import { allowedRequestTypes as entry, requestTypesOf } from '@gatehouse/crds/guardrails';
import { undecided } from '../../answers.ts';
import { type CheckSubject, defineCheck } from '../../contract.ts';

/** Members of the metadata that stand in for lists that are absent. */
const ALLOWED_MEMBER = 'supported_endpoints';
const BLOCKED_MEMBER = 'blocked_endpoints';

/** Undefined: neither the parameters nor the metadata have the list. */
type Types = readonly string[] | undefined;

export const allowedRequestTypes = defineCheck(entry, ({ allowedTypes, blockedTypes }) => {
  const allowedGiven = allowedTypes === undefined ? undefined : requestTypesOf(allowedTypes);
  const blockedGiven = blockedTypes === undefined ? undefined : requestTypesOf(blockedTypes);
  return (subject) => {
    const { metadata, requestType } = subject;
    const allowed = allowedGiven ?? typesIn(metadata, ALLOWED_MEMBER) ?? [];
    const blocked = blockedGiven ?? typesIn(metadata, BLOCKED_MEMBER) ?? [];
    const both = allowed.find((type) => blocked.includes(type));
    if (both !== undefined) return undecided({ name: 'Conflict', message: 'a type is allowed and blocked' });
    const isOneOf = (types: readonly string[]) => types.includes(requestType) || types.includes(streamTypeOf(subject));
    const verdict = !isOneOf(blocked) && (allowed.length === 0 || isOneOf(allowed));
    const data = {
      currentRequestType: requestType,
      allowedTypes: allowed.length === 0 ? ['all'] : allowed,
      blockedTypes: blocked,
      verdict,
      explanation: `Requests of the type ${requestType} are ${verdict ? '' : 'not '}allowed.`,
      source: sourceOf([allowedGiven, blockedGiven], [allowed, blocked]),
      mode: modeOf(allowed, blocked),
    };
    return { verdict, data };
  };
});

/** What a list calls a request for a stream beside its type; empty for others. */
const streamTypeOf = ({ isStream, requestType }: CheckSubject): string => (isStream ? `stream-${requestType}` : '');

function typesIn(metadata: CheckSubject['metadata'], name: string): Types {
  const value = Object.hasOwn(metadata, name) ? metadata[name] : undefined;
  if (typeof value === 'string') return requestTypesOf(value);
  return Array.isArray(value) ? requestTypesOf(value.filter((type) => typeof type === 'string')) : undefined;
}

function sourceOf(
  given: readonly Types[],
  used: readonly (readonly string[])[],
): 'parameters' | 'metadata' | 'default' {
  if (given.some((types) => types !== undefined)) return 'parameters';
  return used.some((types) => types.length > 0) ? 'metadata' : 'default';
}

function modeOf(allowed: readonly string[], blocked: readonly string[]) {
  if (blocked.length === 0) return allowed.length === 0 ? 'unrestricted' : 'allowlist';
  return allowed.length === 0 ? 'blocklist' : 'combined';
}
