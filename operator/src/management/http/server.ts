/** The HTTP server of the management API: one route for each operation of the contract. */
import {
  brokenTextAt,
  formatPath,
  fromZodError,
  isDeeperThan,
  isObject,
  MAX_DOCUMENT_DEPTH,
  withoutGatewayKeys,
} from '@gatehouse/crds';
import type { AuditChange } from '@gatehouse/crds/records';
import { MAX_REST_BODY_BYTES, REST_ERRORS, type RestOperation } from '@gatehouse/crds/rest';
import { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { z } from 'zod';
import { recordingStore } from '../audit/index.ts';
import { authorize, type Caller, type KeyDirectory } from '../callers/index.ts';
import { DatabaseAway } from '../database/index.ts';
import {
  type BoundOperation,
  HttpAnswer,
  type RestCall,
  type ScimAnswer,
  type Services,
  startMemberRounds,
} from '../families/index.ts';
import { LogQuestionTooLarge } from '../logs/index.ts';
import { openApiDocument } from '../openapi/index.ts';
import { ProviderAway, SignInRefused } from '../sessions/index.ts';
import { type CallRatesOptions, createCallRates } from './call-rates.ts';
import { callerOf, countCall, type Known, NOBODY, readerOf, senderOf } from './caller-of-request.ts';
import { createDirectoryTokens } from './directory-token.ts';
import { feedbackMethodOf } from './feedback-error.ts';
import { sendError, sendScim } from './protocols.ts';
import { invalid, RestError } from './rest-error.ts';
import { requestIdOf, type Sent, sentWith } from './sent.ts';

/** One answered call, for logs, metrics and audit. */
export interface CallReport {
  readonly operation: RestOperation;
  readonly caller: Caller | undefined;
  readonly status: number;
  readonly requestId: string;
  readonly seconds: number;
  /** Without the query. */
  readonly path: string;
  /** Of an answer that is no success. */
  readonly errorCode?: string | undefined;
  /** It may take over what another tool owns. */
  readonly forced: boolean;
  readonly sent: Sent;
  /** What the call was about, where the caller belongs to no workspace. */
  readonly workspace?: string | undefined;
  /** What the call has changed, without secrets; also of one that failed after a part of its changes. */
  readonly changes: readonly AuditChange[];
  /** What the server could not handle. */
  readonly failure?: unknown;
}

export interface ManagementServerOptions {
  readonly operations: readonly BoundOperation[];
  readonly services: Services;
  readonly keys: KeyDirectory;
  readonly onCall: (report: CallReport) => void;
  /** Of the calls of each key; absent: the usual ones. */
  readonly rates?: CallRatesOptions | undefined;
  /** PEM; absent: plain HTTP, for a socket in the file system. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
}

/** Longest name of a resource. */
const MAX_NAME = 253;
/** More than gateways pass on: what they admit has an answer in the form of this API. */
const MAX_HEADER_BYTES = 272 * 1024;
const REQUEST_MS = 30_000;
const HANDSHAKE_MS = 10_000;
/** The operations are below this path. */
const BASE = '/v1';
/** Writes also what another tool owns. */
const FORCE_SCOPE = 'organisation_settings.update';

/** The query of operations that have none of their own. */
const WORKSPACE_ALONE = z.strictObject({ workspace_id: z.string().optional() });

/** Not listening yet. */
export function createManagementServer(options: ManagementServerOptions): FastifyInstance {
  const app = fastify({
    bodyLimit: MAX_REST_BODY_BYTES,
    genReqId: requestIdOf,
    requestTimeout: REQUEST_MS,
    ...transportOf(options),
    forceCloseConnections: 'idle',
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    routerOptions: { maxParamLength: MAX_HEADER_BYTES }, // the answer to names that are too long is ours
  });
  app.setErrorHandler<FastifyError | RestError>((error, request, reply) => {
    return sendError(reply, pathOf(request), toRestError(error));
  });
  app.setNotFoundHandler((request, reply) => {
    const message = `${request.method} ${pathOf(request)} is no operation of the management API`;
    const method = feedbackMethodOf(pathOf(request));
    if (method !== undefined) reply.header('allow', method);
    return sendError(reply, pathOf(request), new RestError(method === undefined ? 'ABSENT' : 'METHOD', { message }));
  });
  app.addContentTypeParser('application/scim+json', { parseAs: 'string' }, app.getDefaultJsonParser('error', 'error'));
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  const rates = createCallRates(options.rates);
  const directory = createDirectoryTokens(options.services);
  const known = { ...options, callRates: rates, directory };
  for (const bound of options.operations) addRoute(app, bound, known);
  addDocument(app, known);
  followGroups(app, options.services);
  return app;
}

/** One app type for both transports. */
function transportOf({ tls }: ManagementServerOptions): { readonly http: { readonly maxHeaderSize: number } } {
  if (tls === undefined) return { http: { maxHeaderSize: MAX_HEADER_BYTES } };
  const https = { ...tls, minVersion: 'TLSv1.2', handshakeTimeout: HANDSHAKE_MS, maxHeaderSize: MAX_HEADER_BYTES };
  return { https } as unknown as ReturnType<typeof transportOf>; // HTTPS servers answer as HTTP servers do
}

/** Memberships follow groups while the server listens. */
function followGroups(app: FastifyInstance, services: Services): void {
  let rounds: ReturnType<typeof startMemberRounds> | undefined;
  app.addHook('onListen', async () => {
    rounds = startMemberRounds(services);
  });
  app.addHook('onClose', async () => rounds?.close());
}

/** The description of the operations, for every key and for everybody who is signed in. */
function addDocument(app: FastifyInstance, { operations, ...known }: RouteOptions): void {
  let text: string | undefined;
  app.get(`${BASE}/openapi.json`, async (request, reply) => {
    await readerOf(request, known);
    text ??= JSON.stringify(openApiDocument(operations.map(({ operation }) => operation)));
    return reply.type('application/json').send(text);
  });
}

/** As it is recorded. */
const pathOf = ({ url }: FastifyRequest): string => withoutGatewayKeys(url.split('?')[0] ?? '');

function addRoute(app: FastifyInstance, bound: BoundOperation, options: RouteOptions): void {
  const { operation } = bound;
  const { method, path, aliases = [], protocol } = operation;
  // The handler throws RestErrors alone: anything else is about a body that it never got.
  const errorHandler = async (error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const known = error instanceof RestError ? error : await unreadBody(error, request, operation, options);
    return sendError(reply, pathOf(request), known);
  };
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const started = performance.now();
    const seen: Seen = { changes: [], forced: false, sent: sentWith(request) };
    const report = (status: number, errorCode?: string, failure?: unknown): void => {
      const seconds = (performance.now() - started) / 1_000;
      const { caller, changes, forced, named, workspace = named, sent } = seen;
      options.onCall({
        ...{ operation, caller, status, errorCode, changes, forced, workspace, sent, seconds },
        ...{ requestId: request.id, path: pathOf(request) },
        ...(failure === undefined ? {} : { failure }),
      });
    };
    try {
      const answer = await serve(request, bound, options, seen);
      if (protocol === 'scim') {
        const scim = answer as ScimAnswer; // of every operation of the protocol
        report(scim.status);
        return await sendScim(reply, scim);
      }
      const { status = 200 } = operation;
      report(status);
      if (!(answer instanceof HttpAnswer)) return await reply.status(status).send(answer);
      return await reply.status(status).headers(answer.headers).send(answer.body);
    } catch (error) {
      const known = toRestError(error);
      const { code } = REST_ERRORS[known.error];
      report(known.status, code, known.error === 'INTERNAL' ? error : undefined);
      throw known;
    }
  };
  for (const url of [path, ...aliases]) {
    app.route({ method, url: `${BASE}${url.replaceAll(/\{(\w+)\}/g, ':$1')}`, errorHandler, handler });
  }
}

/** Who sent the body is on record, as far as that is known, and nobody makes more of these calls than of others. */
async function unreadBody(
  error: unknown,
  request: FastifyRequest,
  operation: RestOperation,
  options: RouteOptions,
): Promise<RestError> {
  let known = toRestError(error);
  const caller = await senderOf(request, operation, options).catch((tooMany: unknown) => {
    known = toRestError(tooMany);
    return undefined;
  });
  options.onCall({
    ...{ operation, caller, status: known.status, errorCode: REST_ERRORS[known.error].code },
    ...{ requestId: request.id, path: pathOf(request), seconds: 0, changes: [], forced: false },
    sent: sentWith(request),
    ...(known.error === 'INTERNAL' ? { failure: error } : {}),
  });
  return known;
}

interface RouteOptions extends ManagementServerOptions, Known {}

/** What is known of a call when it ends. */
interface Seen {
  caller?: Caller;
  forced: boolean;
  sent: Sent;
  /** That of the first change, where the caller belongs to none. */
  workspace?: string | undefined;
  /** The workspace that the call itself names. */
  named?: string | undefined;
  readonly changes: AuditChange[];
}

async function serve(
  request: FastifyRequest,
  { operation, serve: run }: BoundOperation,
  options: RouteOptions,
  seen: Seen,
): Promise<unknown> {
  const { services, callRates } = options;
  const caller = await callerOf(request, operation, options, (person) => {
    seen.caller = person;
  });
  if (caller !== NOBODY) seen.caller = caller;
  countCall(caller, callRates);
  authorize(caller, operation.scopes);
  const { force, ...query } = request.query as Record<string, unknown>; // a parsed query is an object
  const call: RestCall = {
    caller,
    ...(typeof query['workspace_id'] === 'string' ? { workspaceId: query['workspace_id'] } : {}),
    path: namesIn(request),
    query: parse(querySchemaOf(operation), query, 'query') as RestCall['query'],
    body: parse(operation.body, request.body, 'body') as RestCall['body'],
    headers: headersOf(request),
    force: isForced(force, caller),
  };
  seen.forced = call.force;
  seen.sent = { ...seen.sent, query: request.query, body: call.body };
  const onlyReads = operation.method === 'GET' && operation.isAudited !== true;
  const workspaces = onlyReads ? NO_WORKSPACES : await createWorkspaceNames(caller, services);
  seen.named = workspaces.named(call);
  const note = (change: AuditChange): void => {
    seen.changes.push(change);
    seen.workspace ??= workspaces.of(change);
  };
  const answer = await run(
    call,
    onlyReads ? services : { ...services, store: recordingStore(services.store, note), note },
  );
  if (answer instanceof HttpAnswer && answer.caller !== undefined) seen.caller = answer.caller;
  return answer;
}

/** Gateways say by which protocol they were reached; others are answered by that of their own connection. */
function headersOf({ headers, protocol: own }: FastifyRequest): RestCall['headers'] {
  const { cookie, origin, host, 'x-forwarded-proto': protocol } = headers;
  return { cookie, origin, host, protocol: typeof protocol === 'string' ? protocol : own };
}

/** Named segments of the route. Throws RestError ABSENT: nothing has a name that long. */
function namesIn({ params }: FastifyRequest): RestCall['path'] {
  const names = params as Record<string, string>; // of the route
  if (Object.values(names).every((name) => name.length <= MAX_NAME)) return names;
  throw new RestError('ABSENT', { message: `The path names something with more than ${MAX_NAME} characters` });
}

/** Which workspace a change or a call is about, for callers of the organisation. */
interface WorkspaceNames {
  of(change: AuditChange): string | undefined;
  named(call: Pick<RestCall, 'body' | 'query'>): string | undefined;
}

const NO_WORKSPACES: WorkspaceNames = { of: () => undefined, named: () => undefined };

async function createWorkspaceNames(caller: Caller, { tenancy }: Services): Promise<WorkspaceNames> {
  if (caller.workspace !== undefined) return NO_WORKSPACES;
  const homes = await tenancy.visibleTo(caller);
  const names = new Map(homes.map(({ namespace, workspace }) => [namespace, workspace?.slug]));
  return {
    of: ({ kind, object }) => (kind === 'Workspace' ? object : names.get(object.slice(0, object.indexOf('/')))),
    named: ({ body, query }) => {
      const given = [body, query].flatMap((part) => (isObject(part) ? [part['workspace_id']] : []));
      const found = homes.find(({ workspace }) => given.some((id) => id === workspace?.slug || id === workspace?.id));
      return found?.workspace?.slug;
    },
  };
}

/** Operations may be told the workspace that is meant; a directory sends what it likes. */
const querySchemaOf = ({ query, protocol }: RestOperation): z.ZodType | undefined =>
  query ?? (protocol === 'scim' ? undefined : WORKSPACE_ALONE);

function parse(schema: z.ZodType | undefined, value: unknown, where: 'query' | 'body'): unknown {
  if (schema === undefined) return undefined;
  if (isDeeperThan(value, MAX_DOCUMENT_DEPTH)) {
    throw new RestError('INVALID', { message: `${where}: at most ${MAX_DOCUMENT_DEPTH} levels of nesting` });
  }
  const broken = brokenTextAt(value);
  if (broken !== undefined) {
    const param = formatPath(broken);
    const message = `${where} ${param}: has a character that is no text: U+0000, or half of a surrogate pair`;
    throw new RestError('INVALID', { message, param });
  }
  const parsed = schema.safeParse(value ?? {});
  if (parsed.success) return parsed.data;
  throw invalid(fromZodError(parsed.error, { schema, value }), where);
}

function isForced(force: unknown, caller: Caller): boolean {
  if (force === undefined || force === 'false') return false;
  if (force !== 'true') {
    throw new RestError('INVALID', { message: 'query force: expected true or false', param: 'force' });
  }
  authorize(caller, [FORCE_SCOPE]);
  return true;
}

/** Errors of fastify are about the request: what it throws itself has a status below 500. */
function toRestError(error: unknown): RestError {
  if (error instanceof RestError) return error;
  if (error instanceof DatabaseAway || error instanceof ProviderAway) {
    return new RestError('UNAVAILABLE', { message: error.message });
  }
  if (error instanceof LogQuestionTooLarge) return new RestError('INVALID', { message: error.message });
  if (error instanceof SignInRefused) {
    return new RestError(error.byProvider ? 'FORBIDDEN' : 'INVALID', { message: error.message });
  }
  const { statusCode, message } = error as Partial<FastifyError>; // anything may be thrown
  if (statusCode === 413)
    return new RestError('TOO_LARGE', { message: `A body has at most ${MAX_REST_BODY_BYTES} bytes` });
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new RestError('INVALID', { message: message ?? 'The request cannot be read' });
  }
  return new RestError('INTERNAL', { message: 'The management API failed; its log says why' });
}
