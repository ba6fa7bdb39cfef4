import type { CorsSettings } from '../../config/index.ts';
import type { HeaderMap } from '../../pipeline/index.ts';

/** The CORS headers for a request from the given origin; none for origins that are not listed. */
export function corsHeaders(settings: CorsSettings | undefined, origin: string | undefined): HeaderMap {
  if (settings === undefined || origin === undefined) return {};
  const allowed = settings.origins.includes('*') ? '*' : settings.origins.find((item) => item === origin);
  if (allowed === undefined) return {};
  return {
    'access-control-allow-origin': allowed,
    'access-control-expose-headers': settings.exposed,
    ...(allowed === '*' ? {} : { vary: 'origin' }),
  };
}

/** The answer to a preflight request, on top of the above. */
export function preflightHeaders(settings: CorsSettings): HeaderMap {
  return { 'access-control-allow-methods': settings.methods, 'access-control-allow-headers': settings.headers };
}
