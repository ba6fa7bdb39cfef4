/** Headers of the API whose feature this version does not have: refused, because their sender counts on the effect. */
import { AppError } from '../errors/index.ts';
import type { ClientRequest } from './exchange.ts';

interface UnservedHeader {
  readonly name: string;
  /** What asks for the feature; absent: any value but an empty one. */
  readonly value?: string;
  readonly detail: string;
}

export const UNSERVED_HEADERS: readonly UnservedHeader[] = [
  {
    name: 'x-gw-beta',
    detail: 'x-gw-beta turns on beta features, and this version has none; leave the header out',
  },
  {
    name: 'x-gw-ignore-service-log',
    value: 'true',
    detail: 'x-gw-ignore-service-log is not part of this version: every request is recorded; leave the header out',
  },
];

/** Throws FEATURE_UNSUPPORTED. */
export function refuseUnservedHeaders(request: Pick<ClientRequest, 'header'>): void {
  for (const { name, value, detail } of UNSERVED_HEADERS) {
    const given = request.header(name);
    if (given === undefined || given.trim() === '') continue;
    if (value === undefined || given.trim().toLowerCase() === value) {
      throw new AppError('FEATURE_UNSUPPORTED', { param: name, detail });
    }
  }
}
