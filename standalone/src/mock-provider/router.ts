import { anthropic, createAnthropicRoutes, createAnthropicSharedRoutes } from './anthropic/index.ts';
import { bedrock, createBedrockRoutes } from './bedrock/index.ts';
import type { CallInside } from './call-inside.ts';
import { cohere, createCohereRoutes, createCohereSharedRoutes, isOfCohere } from './cohere/index.ts';
import { answerEcho } from './echo.ts';
import type { Dialect, Route } from './exchange.ts';
import { createGeminiRoutes, gemini } from './gemini/index.ts';
import { createOllamaRoutes, ollama } from './ollama/index.ts';
import { createOpenaiRoutes, openai } from './openai/index.ts';
import type { ReceivedRequest } from './recorder.ts';
import { refuse } from './reply.ts';

export interface RouteMatch {
  readonly route: Route;
  readonly params: readonly string[];
}

interface RouteTable {
  readonly exact: ReadonlyMap<string, RouteMatch>;
  readonly patterns: readonly { readonly path: RegExp; readonly route: Route }[];
}

type Asked = Pick<ReceivedRequest, 'method' | 'path' | 'search' | 'headers'>;

export interface Router {
  /** Every path has a route: one that no provider has answers 404. */
  find(request: Asked): RouteMatch;
}

/** `call` answers a request of a batch as if a client had sent it. */
export function createRouter(call: CallInside): Router {
  const ofGemini = createGeminiRoutes();
  const tables = {
    openai: tabulate([]),
    anthropic: tabulate(createAnthropicSharedRoutes()),
    gemini: tabulate(ofGemini),
    cohere: tabulate(createCohereSharedRoutes()),
    bedrock: tabulate([]),
    ollama: tabulate([]),
  };
  const ofOthers = [...ofGemini, ...createCohereRoutes(), ...createBedrockRoutes(), ...createOllamaRoutes()];
  const all = tabulate([...createOpenaiRoutes(call), ...createAnthropicRoutes(call), ...ofOthers]);
  return {
    find(request) {
      const { method, path } = request;
      const asked = method === 'HEAD' ? 'GET' : method; // without its body, which the server leaves out
      const family = familyOf(request);
      const found = lookUp(tables[family], asked, path) ?? lookUp(all, asked, path);
      if (found !== undefined) return found;
      return ECHO_PATH.test(path) ? ECHO : UNKNOWN[family];
    },
  };
}

/** The paths as a reader writes them, in the order of providers: `POST /v1/files`. */
export function listPaths(): readonly string[] {
  const none: CallInside = () => ({ status: 404, requestId: '', body: undefined });
  const ofAnthropic = [...createAnthropicRoutes(none), ...createAnthropicSharedRoutes()];
  const ofCohere = [...createCohereRoutes(), ...createCohereSharedRoutes()];
  const ofOthers = [...createGeminiRoutes(), ...ofCohere, ...createBedrockRoutes(), ...createOllamaRoutes()];
  const routes = [...createOpenaiRoutes(none), ...ofAnthropic, ...ofOthers];
  return routes.map(({ method, path }) => `${method} ${typeof path === 'string' ? path : readable(path)}`);
}

/** A pattern with names for what varies; alternatives are shown as their usual spelling. */
function readable(pattern: RegExp): string {
  return pattern.source
    .replace(/^\^|\$$/g, '')
    .replaceAll('\\/', '/')
    .replaceAll('(?:beta1?|alpha)?', 'beta')
    .replaceAll('(?:beta)?', 'beta')
    .replaceAll('(?:.+/)?', '')
    .replaceAll('(?:openai/)?', 'openai/')
    .replace(/\(\[\^\/:?\]\+\)/g, '{id}');
}

/** For tests of what arrives: any method, anything below. */
const ECHO_PATH = /^\/(?:v1\/)?echo(?:\/|$)/;

const ECHO: RouteMatch = {
  route: { method: 'GET', path: '', dialect: openai, input: 'none', handle: answerEcho },
  params: [],
};

const UNKNOWN = {
  openai: unknownIn(openai),
  anthropic: unknownIn(anthropic),
  gemini: unknownIn(gemini),
  cohere: unknownIn(cohere),
  bedrock: unknownIn(bedrock),
  ollama: unknownIn(ollama),
};

function unknownIn(dialect: Dialect): RouteMatch {
  const route: Route = {
    method: 'GET',
    path: '',
    dialect,
    input: 'none',
    handle: ({ request: { method, path } }) =>
      refuse(404, `Unknown request URL: ${method} ${path}. The mock provider does not have this path.`, {
        code: 'unknown_url',
      }),
  };
  return { route, params: [] };
}

/** Whose client this is, for paths that several have and for errors of unknown ones. */
function familyOf({ path, search, headers }: Asked): keyof typeof UNKNOWN {
  if (headers['anthropic-version'] !== undefined || path.startsWith('/v1/messages')) return 'anthropic';
  if (path.startsWith('/model/')) return 'bedrock';
  if (path.startsWith('/api/')) return 'ollama';
  if (isOfCohere(path, search, headers['x-fern-sdk-name'])) return 'cohere';
  const isGemini = headers['x-goog-api-key'] !== undefined || /^\?(?:.*&)?key=/.test(search);
  return isGemini || /\/v1(?:beta|alpha)/.test(path) ? 'gemini' : 'openai';
}

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
