/** The main listener: Fastify routes, the pipeline serves. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server as TlsServer } from 'node:tls';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { DEFAULTS, type GatewaySettings } from '../config/index.ts';
import type { Catalogue } from '../cost/index.ts';
import { AppError, errorFormatOfPath, type Spell, toAppError } from '../errors/index.ts';
import type { CountersServer } from '../fleet-counters/index.ts';
import type { RecordsServer } from '../fleet-records/index.ts';
import { createByteBudget } from '../lib/byte-budget.ts';
import { canonicalRequestTarget } from '../lib/request-target.ts';
import { routePattern } from '../lib/route-pattern.ts';
import { type HeaderMap, ROUTES, type Route, traceOf } from '../pipeline/index.ts';
import type { Metrics } from '../telemetry/index.ts';
import { addCorsHeaders, preflightHeaders } from './answer/cors.ts';
import { identify } from './answer/identify.ts';
import { createWriteBatch } from './answer/write-batch.ts';
import { fromAzurePath } from './azure-paths.ts';
import { askLate } from './body/asked-body.ts';
import { type BodyLimits, ServedRequest } from './body/client-request.ts';
import { checkMediaType } from './body/media-type.ts';
import { endUnread } from './body/unread-body.ts';
import { expiryOf, followCertificate } from './connections/certificate.ts';
import { toListener } from './connections/close.ts';
import type { Drain } from './connections/drain.ts';
import { refuseMalformed } from './connections/malformed.ts';
import { createConnectionPolicy } from './connections/maximum-age.ts';
import { createUpgrades, type Upgrades } from './connections/upgrade.ts';
import { fromGeminiPath } from './gemini-paths.ts';
import { acceptHeaderAliases, spelledFor } from './header-aliases.ts';
import type { ListenAddress, Listener, UpgradeHandler } from './listener.ts';
import { addManagement, type ManagementAddress } from './management/index.ts';
import { addPriceList } from './price-list.ts';
import { type ServePorts, sendError, serve } from './serve.ts';
import { addSidecarCalls } from './sidecar-calls.ts';
import { unknownRoute } from './unknown-route.ts';
import { WITHOUT_SCHEMAS } from './without-schemas.ts';

export interface MainListenerSettings extends Pick<GatewaySettings, 'tls' | 'cors' | 'headerAliases'> {
  readonly address: ListenAddress;
  readonly limits: ServePorts['limits'];
}

export interface MainListenerPorts
  extends Pick<ServePorts, 'pipeline' | 'recorder' | 'logger' | 'snapshots' | 'budget' | 'spans' | 'onRead'> {
  readonly metrics: ServePorts['metrics'] & Pick<Metrics, 'setCertificateExpiry'>;
  readonly drain: Pick<Drain, 'inFlight' | 'isDraining'>;
  /** Undefined: no protocol but HTTP; a request with an `Upgrade` header is served as HTTP. */
  readonly upgrades: UpgradeHandler | undefined;
  readonly version: string;
  /** Public prices. */
  readonly catalogue: Pick<Catalogue, 'find'>;
  /** Prometheus text, where the main port serves it, too. */
  readonly metricsText: (() => Promise<string>) | undefined;
  /** Counts for sidecars; absent: the path answers 404. */
  readonly counters?: CountersServer | undefined;
  /** Takes rows of the request log from sidecars; absent: the path answers 404. */
  readonly records?: RecordsServer | undefined;
  /** Absent: its paths answer 404. */
  readonly management?: ManagementAddress | undefined;
  /** Uniform in [0, 1). */
  random(): number;
}

const NEVER = (): boolean => false;

/** The listener of clients. */
export function createMainListener(settings: MainListenerSettings, ports: MainListenerPorts): Listener {
  const { drain, random, ...shared } = ports;
  const { headerAliases } = settings;
  const upgrades = ports.upgrades && createUpgrades(ports.upgrades, { inFlight: drain.inFlight, headerAliases });
  const app = createApp(settings, {
    ...shared,
    inFlight: drain.inFlight,
    connections: createConnectionPolicy({
      maxAgeMs: DEFAULTS.maxConnectionAgeMs,
      random,
      isDraining: drain.isDraining,
    }),
    limits: settings.limits,
    cors: settings.cors,
    batch: createWriteBatch(),
    shouldUpgradeCallback: upgrades?.shouldUpgradeCallback ?? NEVER,
  });
  askLate(app.server);
  upgrades?.attach(app.server);
  const listener = toListener(app, settings.address, upgrades);
  return withCertificate(listener, settings.tls, { ...ports, server: app.server });
}

/** Serves what the files of the certificate hold now; connections that are open keep theirs. */
function withCertificate(
  listener: Listener,
  tls: MainListenerSettings['tls'],
  { server, logger, metrics }: Pick<MainListenerPorts, 'logger' | 'metrics'> & { readonly server: object },
): Listener {
  if (tls === undefined || !(server instanceof TlsServer)) return listener;
  metrics.setCertificateExpiry(expiryOf(tls.cert));
  if (tls.files === undefined) return listener;
  const follower = followCertificate({
    files: tls.files,
    served: tls,
    apply: (pair) => {
      server.setSecureContext(pair);
      metrics.setCertificateExpiry(expiryOf(pair.cert));
    },
    logger,
    everyMs: DEFAULTS.certificateCheckMs,
  });
  return {
    ...listener,
    listen: async () => {
      const port = await listener.listen();
      follower.start();
      return port;
    },
    closeNow: async () => {
      follower.stop();
      await listener.closeNow();
    },
  };
}

type AppPorts = ServePorts &
  Pick<MainListenerPorts, 'version' | 'metricsText' | 'catalogue' | 'management' | 'counters' | 'records'> &
  Pick<Upgrades, 'shouldUpgradeCallback'>;

function createApp(settings: MainListenerSettings, ports: AppPorts): FastifyInstance {
  const app = fastify({
    ...WITHOUT_SCHEMAS,
    ...serverOptions(settings, ports),
    rewriteUrl: ({ url = '', headers }) => {
      const target = canonicalRequestTarget(url);
      if (!target.ok) return REFUSED;
      const isGoogle = headers['x-goog-api-key'] !== undefined;
      return withoutLastSlash(fromGeminiPath(fromAzurePath(target.value), isGoogle));
    },
    frameworkErrors: (error, request, reply) => fail(error, request, reply, settings.cors),
    clientErrorHandler: refuseMalformed,
  });
  // Bodies are read by the pipeline, once the caller is known.
  for (const method of METHODS_WITH_BODY) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  app.setErrorHandler((error, request, reply) => fail(error, request, reply, settings.cors));
  app.setNotFoundHandler((request, reply) => fail(unknownRoute(request), request, reply, settings.cors));
  acceptHeaderAliases(app, settings.headerAliases);
  addCors(app, settings.cors);
  addHealth(app, ports);
  addPriceList(app, ports.catalogue, traced);
  if (ports.metricsText !== undefined) {
    const { metricsText } = ports;
    app.get('/metrics', { onRequest: traced, exposeHeadRoute: true }, async (_request, reply) =>
      reply.type('text/plain; version=0.0.4').send(await metricsText()),
    );
  }
  if (settings.cors === undefined) addOptions(app);
  for (const route of ROUTES) addRoute(app, route, ports);
  addSidecarCalls(app, {
    ...{ counters: ports.counters, records: ports.records, budget: ports.budget, progress: settings.limits.progress },
    headersOf: (request) => answerHeaders(request, settings.cors),
  });
  if (ports.management !== undefined) {
    const { inFlight, management, snapshots } = ports;
    addManagement(app, management, {
      ...{ inFlight, snapshots },
      headersOf: (request) => answerHeaders(request, settings.cors),
      fail: (error, request, reply) => fail(error, request, reply, settings.cors),
    });
  }
  return app;
}

/** Paths with an operation or answer of their own, which a slash at the end does not change. */
const OWN_PATHS = [...ROUTES.map(({ path }) => path), '/v1/health', '/metrics']
  .filter((path) => !path.endsWith('*'))
  .map((path) => routePattern(path));

/** Paths that are proxied keep it: it may mean something to the provider. */
function withoutLastSlash(target: string): string {
  const mark = target.indexOf('?');
  const end = mark < 0 ? target.length : mark;
  if (target[end - 1] !== '/') return target;
  const path = target.slice(0, end - 1);
  return OWN_PATHS.some((own) => own.test(path)) ? path + target.slice(end) : target;
}

const METHODS_WITH_BODY = ['DELETE', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY'];

/** The target of a refused request: no route has it, and the error is made from the original target. */
const REFUSED = '/';

function serverOptions(
  { tls }: Pick<GatewaySettings, 'tls'>,
  { shouldUpgradeCallback }: Pick<Upgrades, 'shouldUpgradeCallback'>,
) {
  const limits = {
    shouldUpgradeCallback,
    maxHeaderSize: DEFAULTS.maxHeaderBytes,
    keepAliveTimeout: DEFAULTS.serverKeepAliveMs,
    headersTimeout: DEFAULTS.serverHeadersTimeoutMs,
    requestTimeout: DEFAULTS.serverRequestTimeoutMs,
  };
  const common = {
    keepAliveTimeout: DEFAULTS.serverKeepAliveMs,
    requestTimeout: DEFAULTS.serverRequestTimeoutMs,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 4_096 },
  } as const;
  if (tls === undefined) return { ...common, http: limits };
  return {
    ...common,
    http2: true as const,
    https: { ...limits, key: tls.key, cert: tls.cert, allowHTTP1: true },
  } as unknown as typeof common; // one app type for both listeners
}

const NO_SEGMENTS = {};

function addRoute(app: FastifyInstance, { method, path, operation }: Route, ports: ServePorts): void {
  const hasSegments = /[:*]/.test(path);
  const segmentsOf = (request: FastifyRequest): Readonly<Record<string, string>> => {
    const { '*': rest = '', ...named } = request.params as Record<string, string>; // named and wildcard segments
    const refused = operation.refusePath?.(rest);
    if (refused !== undefined) throw refused;
    return encoded(named);
  };
  app.route({
    method: method === 'GET' ? ['GET', 'HEAD'] : method,
    url: path,
    handler: (request, reply) => {
      if (method !== 'GET') checkMediaType(request.headers['content-type']);
      const route = hasSegments || operation.refusePath !== undefined ? segmentsOf(request) : NO_SEGMENTS;
      reply.hijack();
      return serve(ports, { message: request.raw, response: reply.raw, operation, route });
    },
  });
}

/** The router decodes segments; the pipeline takes them encoded, as in a path. */
function encoded(segments: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(segments).map(([name, value]) => [name, encodeURIComponent(value)]));
}

function addHealth(app: FastifyInstance, { snapshots, version, cors }: AppPorts): void {
  app.get('/v1/health', { onRequest: traced, exposeHeadRoute: true }, ({ headers: { origin } }, reply) => {
    if (snapshots.current === undefined) throw new AppError('SNAPSHOT_MISSING', { retryAfterMs: 1_000 });
    if (cors !== undefined) reply.headers(addCorsHeaders({}, cors, origin));
    return reply.send({ status: 'success', message: 'Server is healthy', version });
  });
}

function addCors(app: FastifyInstance, settings: GatewaySettings['cors']): void {
  if (settings === undefined) return;
  app.options('/*', { onRequest: traced }, (request, reply) => {
    const headers = addCorsHeaders(preflightHeaders(settings), settings, request.headers.origin);
    return reply.code(204).headers(headers).send();
  });
}

/** What `OPTIONS` answers where no browser is expected. Source: RFC 9110, section 9.3.7. */
function addOptions(app: FastifyInstance): void {
  const proxied = ROUTES.filter(({ path }) => path === PROXIED);
  const allow = [...proxied.map(({ method }) => method), 'HEAD', 'OPTIONS'].join(', ');
  app.options(PROXIED, { onRequest: traced }, (request, reply) => {
    const { '*': rest = '' } = request.params as Record<string, string>; // of the wildcard
    const refused = proxied[0]?.operation.refusePath?.(rest);
    if (refused !== undefined) throw refused;
    return reply.code(204).header('allow', allow).send();
  });
  const own = ROUTES.filter(
    ({ path }) =>
      !path.startsWith(PROXIED_ROOT) ||
      proxied[0]?.operation.refusePath?.(path.slice(PROXIED_ROOT.length)) !== undefined,
  );
  for (const [path, routes] of Map.groupBy(own, (route) => route.path)) {
    const methods = [...routes.map(({ method }) => method), 'OPTIONS'].join(', ');
    app.options(path, { onRequest: traced }, (_request, reply) => reply.code(204).header('allow', methods).send());
  }
}

/** Takes whatever no other route does. */
const PROXIED_ROOT = '/v1/';
const PROXIED = `${PROXIED_ROOT}*`;

/** For requests that are answered without looking at their bodies. */
const NO_BODY: BodyLimits = {
  maxJsonBytes: 0,
  json: DEFAULTS.json,
  replayBytes: 0,
  maxFormBytes: 0,
  formModelBytes: 0,
  progress: { idleMs: 0, minBytesPerSecond: 0 },
};
const NO_MEMORY = createByteBudget(0).open();

/** Every answer has a trace id, also those that do not come from the pipeline. */
function traced(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.headers(identityOf(request));
  endUnreadOf(request, reply);
  done();
}

/** HTTP/2 requests and answers have the same members. */
const endUnreadOf = (request: FastifyRequest, reply: FastifyReply): void =>
  endUnread(request.raw as IncomingMessage, reply.raw as ServerResponse);

function identityOf({ raw }: FastifyRequest): HeaderMap {
  const path = (raw.url ?? '').split('?', 1)[0] ?? '';
  const message = raw as IncomingMessage; // HTTP/2 requests have the same members
  const { traceId } = traceOf(new ServedRequest(message, { route: {}, limits: NO_BODY, memory: NO_MEMORY }));
  return identify({}, traceId, errorFormatOfPath(path));
}

/** What every answer has that does not come from the pipeline. */
function answerHeaders(request: FastifyRequest, cors: GatewaySettings['cors']): HeaderMap {
  const headers = identityOf(request);
  return cors === undefined ? headers : addCorsHeaders(headers, cors, request.headers.origin);
}

/** Answers an error from before the pipeline with our error body and a trace id. */
function fail(error: unknown, request: FastifyRequest, reply: FastifyReply, cors: GatewaySettings['cors']): void {
  reply.hijack();
  const headers = answerHeaders(request, cors);
  const path = (request.raw.url ?? '').split('?', 1)[0] ?? '';
  endUnreadOf(request, reply);
  const spell: Spell = (text) => spelledFor(request.raw, text);
  sendError(reply.raw as ServerResponse, fromFramework(error), { format: errorFormatOfPath(path), headers, spell }); // as above
}

/** Fastify's own errors with a 4xx status are malformed requests. */
function fromFramework(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined;
  if (typeof status !== 'number' || status >= 500) return toAppError(error);
  return new AppError('HEADER_INVALID', { detail: 'The request line or a header is malformed', cause: error });
}
