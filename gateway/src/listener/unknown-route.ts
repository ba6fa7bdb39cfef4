/** What is said of a request that no route takes. */
import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors/index.ts';
import { canonicalRequestTarget } from '../lib/request-target.ts';
import { routePattern } from '../lib/route-pattern.ts';
import { ROUTES } from '../pipeline/index.ts';

/** Of the APIs of other clients: what is below `/v1` is proxied, whatever its method. */
const DOOR_PATHS = [
  ...Map.groupBy(
    ROUTES.filter(({ path }) => !path.startsWith('/v1/')),
    ({ path }) => path,
  ),
].map(([path, routes]) => ({
  pattern: routePattern(path),
  methods: routes.flatMap(({ method }) => (method === 'GET' ? [method, 'HEAD'] : [method])),
}));
const DOOR_ROOTS = /^\/(?:api|v2|v1beta)\//;

/** The most frequent cause is a base URL without its version segment. */
export function unknownRoute({
  method,
  url,
  originalUrl,
}: Pick<FastifyRequest, 'method' | 'url' | 'originalUrl'>): AppError {
  const target = canonicalRequestTarget(originalUrl);
  if (!target.ok) return new AppError('PARAMETER_INVALID', { detail: `Bad request: ${target.error}`, param: 'path' });
  const path = url.split('?', 1)[0] ?? '';
  const methods = DOOR_PATHS.find(({ pattern }) => pattern.test(path))?.methods;
  if (methods !== undefined) {
    const allow = [...methods, 'OPTIONS'];
    return new AppError('METHOD_NOT_ALLOWED', { detail: `This path is called with ${methods.join(' or ')}`, allow });
  }
  const inside = path === '/v1' || path.startsWith('/v1/') || DOOR_ROOTS.test(path);
  const detail =
    inside || path.startsWith('/openai/deployments/')
      ? `${method} is not served on this path`
      : 'the API is below /v1, which belongs to the base URL';
  return new AppError('ROUTE_UNKNOWN', { detail: `Not Found: ${detail}` });
}
