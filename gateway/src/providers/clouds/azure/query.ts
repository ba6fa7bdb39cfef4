import { percentEncoded } from '../../../lib/percent-encode.ts';

const PARAM = 'api-version';

/** Whether a query (without `?`) names an API version. */
const hasVersion = (query: string): boolean => query.split('&').some((pair) => pair.startsWith(`${PARAM}=`));

/** The query without its API version. */
export function withoutVersion(query: string): string {
  if (!hasVersion(query)) return query;
  return query
    .split('&')
    .filter((pair) => !pair.startsWith(`${PARAM}=`))
    .join('&');
}

/** The query with an API version, unless it names one or there is none to add. */
export function withVersion(query: string, version: string | undefined): string {
  if (version === undefined || hasVersion(query)) return query;
  return `${query}${query === '' ? '' : '&'}${PARAM}=${percentEncoded(version)}`;
}

/** A path with its query. */
export function joinQuery(path: string, query: string): string {
  return query === '' ? path : `${path}?${query}`;
}

/** A path and its query, which is empty when there is none. */
export function splitQuery(target: string): readonly [path: string, query: string] {
  const at = target.indexOf('?');
  return at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)];
}
