/** Headers of the API whose feature this version does not have: refused, because their sender counts on the effect. */
import { PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';
import { AppError } from '../errors/index.ts';
import type { ClientRequest } from './exchange.ts';

/** Of the API, and not part of this version; other names are ignored, as are features that need no header any more. */
const BETA_FEATURES = ['server-side-mcp-2026-06-01', 'use-responses-api-2026-07-30'];

interface UnservedHeader {
  readonly name: string;
  /** What asks for a feature, in lower case; the value is a list with commas. */
  readonly values: readonly string[];
  readonly detail: string;
}

export const UNSERVED_HEADERS: readonly UnservedHeader[] = [
  {
    name: 'x-gw-beta',
    values: BETA_FEATURES,
    detail: `x-gw-beta: the features ${BETA_FEATURES.join(' and ')} are not part of this version; leave them out`,
  },
  {
    name: 'x-gw-ignore-service-log',
    values: ['true'],
    detail: 'x-gw-ignore-service-log is not part of this version: every request is recorded; leave the header out',
  },
];

/** Fields of providers that nothing reads. */
const UNSERVED_FIELDS: readonly UnservedHeader[] = [...PROVIDER_CATALOGUE.values()].flatMap(({ fields }) =>
  fields.flatMap(({ header, unserved }) =>
    header === undefined || unserved === undefined
      ? []
      : [{ name: header, values: ['true'], detail: `${header}: ${unserved} not part of this version; leave it out` }],
  ),
);

const REFUSED = [...UNSERVED_HEADERS, ...UNSERVED_FIELDS];

/** Throws FEATURE_UNSUPPORTED. */
export function refuseUnservedHeaders(request: Pick<ClientRequest, 'header'>): void {
  for (const { name, values, detail } of REFUSED) {
    const given = request.header(name);
    if (given === undefined) continue;
    const asked = given.split(',', MAX_VALUES).map((value) => value.trim().toLowerCase());
    if (asked.some((value) => values.includes(value)))
      throw new AppError('FEATURE_UNSUPPORTED', { param: name, detail });
  }
}

/** More are not read: a header is no long list. */
const MAX_VALUES = 64;
