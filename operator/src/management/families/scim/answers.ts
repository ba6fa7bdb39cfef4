/** Answers of SCIM: pages, and the members that are asked for. */
import type { ScimAnswer } from '../family.ts';

const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

export interface Projection {
  readonly attributes?: string | undefined;
  readonly excludedAttributes?: string | undefined;
}

export const MAX_PAGE = 200;
const DEFAULT_PAGE = 100;

/** Counts from one; a size that is too large is cut, and one below zero is none. */
export function windowOfScim(
  {
    startIndex = 1,
    count = DEFAULT_PAGE,
  }: { readonly startIndex?: number | undefined; readonly count?: number | undefined },
  max = MAX_PAGE,
): { readonly first: number; readonly limit: number } {
  return { first: Math.max(1, startIndex), limit: Math.min(max, Math.max(0, count)) };
}

export const listAnswer = (resources: readonly object[], total: number, first: number): ScimAnswer => ({
  status: 200,
  body: {
    schemas: [LIST],
    totalResults: total,
    startIndex: first,
    itemsPerPage: resources.length,
    Resources: resources,
  },
});

const namesIn = (text: string): ReadonlySet<string> =>
  new Set(text.split(',').map((name) => (name.trim().toLowerCase().split(':').at(-1) ?? '').split('.')[0] ?? ''));

/** Whether a member of a resource is asked for. */
export function isAskedFor(name: string, { attributes = '', excludedAttributes = '' }: Projection): boolean {
  if (ALWAYS.has(name)) return true;
  if (attributes !== '') return namesIn(attributes).has(name.toLowerCase());
  return !namesIn(excludedAttributes).has(name.toLowerCase());
}

const ALWAYS: ReadonlySet<string> = new Set(['schemas', 'id']);

export const projected = (resource: object, projection: Projection): object =>
  Object.fromEntries(Object.entries(resource).filter(([name]) => isAskedFor(name, projection)));

/** Where a resource is, below the host that the directory calls. */
export const locationOf = (plural: string, id: string): string => `/v1/scim/v2/${plural}/${id}`;
