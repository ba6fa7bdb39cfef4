import type { IncomingHttpHeaders } from 'node:http';
import { ANTHROPIC_ROUTES, ANTHROPIC_SHARED_ROUTES } from './anthropic/index.ts';
import { answerEcho } from './echo.ts';
import type { Route } from './exchange.ts';
import { GEMINI_ROUTES } from './gemini/index.ts';
import { createOpenaiRoutes, openai } from './openai/index.ts';

export interface RouteMatch {
  readonly route: Route;
  readonly params: readonly string[];
}

interface RouteTable {
  readonly exact: ReadonlyMap<string, RouteMatch>;
  readonly patterns: readonly { readonly path: RegExp; readonly route: Route }[];
}

export interface Router {
  /** Every path has a route: paths of no provider are echoed. */
  find(method: string, path: string, headers: IncomingHttpHeaders): RouteMatch;
}

export function createRouter(): Router {
  const shared = tabulate(ANTHROPIC_SHARED_ROUTES);
  const all = tabulate([...createOpenaiRoutes(), ...ANTHROPIC_ROUTES, ...GEMINI_ROUTES]);
  return {
    find(method, path, headers) {
      const preferred = headers['anthropic-version'] === undefined ? undefined : lookUp(shared, method, path);
      return preferred ?? lookUp(all, method, path) ?? ECHO;
    },
  };
}

const ECHO: RouteMatch = {
  route: { method: 'GET', path: '', dialect: openai, input: 'none', handle: answerEcho },
  params: [],
};

function tabulate(routes: readonly Route[]): RouteTable {
  const exact = new Map<string, RouteMatch>();
  const patterns: { path: RegExp; route: Route }[] = [];
  for (const route of routes) {
    if (typeof route.path === 'string') exact.set(`${route.method} ${route.path}`, { route, params: [] });
    else patterns.push({ path: route.path, route });
  }
  return { exact, patterns };
}

function lookUp({ exact, patterns }: RouteTable, method: string, path: string): RouteMatch | undefined {
  const found = exact.get(`${method} ${path}`);
  if (found !== undefined) return found;
  for (const { path: pattern, route } of patterns) {
    const match = route.method === method ? pattern.exec(path) : null;
    if (match !== null) return { route, params: match.slice(1).map(decodeSegment) };
  }
  return undefined;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
