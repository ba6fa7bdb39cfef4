/** Answers to browsers; the protocol is that of the Fetch standard, https://fetch.spec.whatwg.org/#http-cors-protocol. */
import type { CorsSettings } from '../../config/index.ts';
import type { HeaderMap } from '../../pipeline/index.ts';

/** How long browsers keep the answer to a preflight: changed settings are in force after that. */
const PREFLIGHT_SECONDS = 600;

/** Adds the CORS headers for a request from the given origin; never those for credentials, so cookies stay out of it. */
export function addCorsHeaders(
  headers: HeaderMap,
  { origins, exposed }: CorsSettings,
  origin: string | undefined,
): HeaderMap {
  const any = origins.includes('*');
  if (!any) headers['vary'] = [headers['vary'] ?? [], 'origin'].flat().join(', '); // also where it is not listed: for caches
  if (origin === undefined || !(any || origins.includes(origin))) return headers;
  headers['access-control-allow-origin'] = any ? '*' : origin;
  headers['access-control-expose-headers'] = exposed;
  return headers;
}

/** The answer to a preflight request, on top of the above. */
export const preflightHeaders = ({ methods, headers }: CorsSettings): HeaderMap => ({
  'access-control-allow-methods': methods,
  'access-control-allow-headers': withAuthorization(headers),
  'access-control-max-age': String(PREFLIGHT_SECONDS),
});

/** `*` stands for all headers but this one, which must be named. */
function withAuthorization(headers: string): string {
  const names = headers.split(',').map((name) => name.trim().toLowerCase());
  return names.includes('*') && !names.includes('authorization') ? `${headers}, authorization` : headers;
}
