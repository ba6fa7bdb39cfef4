/** The answer to a part of a message that the provider does not take; docs/behaviour/providers.md#what-a-provider-does-not-take. */
import { formatPath, isObject } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import { UnsupportedPart } from '../../wire/parts/parts.ts';
import type { Call } from '../contract.ts';

type Path = readonly (string | number)[];

/** Types are short words; anything else is not repeated. */
const TYPE = /^[\w.-]{1,40}$/;

/** CONTENT_UNSUPPORTED with the place of the part; any other error as it is. */
export function namePart(
  error: unknown,
  { params, provider, placeOf }: Pick<Call, 'params' | 'provider' | 'placeOf'>,
): unknown {
  if (!(error instanceof UnsupportedPart)) return error;
  const { part } = error;
  const own = placeOf === undefined ? pathOf(params, part) : undefined;
  const place = placeOf?.(part) ?? formatPath(own ?? ['messages']);
  const type: unknown = isObject(part) ? part['type'] : undefined;
  const kind = typeof type === 'string' && TYPE.test(type) ? ` of type ${type}` : '';
  return new AppError('CONTENT_UNSUPPORTED', {
    param: place,
    provider,
    detail: `${place}: ${provider} takes no such part${kind}; leave it out, or send it to a provider that takes it`,
  });
}

/** Recursion is bounded by the limits of a JSON body. */
function pathOf(value: unknown, part: object, path: Path = []): Path | undefined {
  if (value === part) return path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const found = pathOf(member, part, [...path, Array.isArray(value) ? Number(key) : key]);
    if (found !== undefined) return found;
  }
  return undefined;
}
