import { apiVersionOf, type KindRef } from './objects.ts';

export interface ResourcePlace {
  /** Absent for a namespaced Kind: all namespaces. */
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** The path of a collection, an object or a subresource on the API server. */
export function resourcePath(kind: KindRef, { namespace, name, subresource }: ResourcePlace): string {
  const root = kind.group === '' ? '/api' : '/apis';
  const parts = [
    `${root}/${apiVersionOf(kind)}`,
    ...(kind.namespaced && namespace !== undefined ? ['namespaces', encodeURIComponent(namespace)] : []),
    kind.plural,
    ...(name === undefined ? [] : [encodeURIComponent(name)]),
    ...(subresource === undefined ? [] : [subresource]),
  ];
  return parts.join('/');
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** A query string with its question mark; members that are undefined or empty are left out. */
export function queryString(query: Query): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') params.set(name, String(value));
  }
  return params.size === 0 ? '' : `?${params}`;
}
