import { AppError } from '../../errors/index.ts';
import type { CancelSignal } from '../../lib/cancellation.ts';
import { andThen, type Deferred } from '../../lib/deferred.ts';
import { isRoutingHeader } from '../../lib/header-names.ts';
import { numbersIn, writeJson } from '../../lib/json/index.ts';
import { percentEncoded } from '../../lib/percent-encode.ts';
import type {
  Call,
  OutgoingRequest,
  ProviderServices,
  RequestRule,
  RequestTable,
  StreamedBody,
  Upload,
} from '../contract.ts';
import type { CompiledUrl } from './compile.ts';
import { placesOf } from './data-plane.ts';
import { fieldMissing, requireModel } from './fields.ts';
import type { ProxiedCall } from './path-pattern.ts';
import { opensRealtimeSession } from './realtime-paths.ts';
import { shapeBody, withoutPlaceholders } from './shape-body.ts';
import { baseOf, type PreparedTarget } from './target.ts';
import { type CompiledTemplate, renderTemplate } from './template.ts';
import { namePart } from './unsupported-part.ts';
import { formOfMembers, offerOf, relayUpload, shapeForm } from './upload.ts';
import { type Base, pathSegment, pathText, refuseDotSegments, splitBase } from './url.ts';

export interface CallOptions {
  /** Headers the client asked to pass on, by lower-case name. */
  readonly forwarded: Readonly<Record<string, string>>;
  readonly services: ProviderServices;
  readonly signal: CancelSignal;
}

export interface RequestOptions extends CallOptions {
  /** The client's JSON body as it came: sent as it is when nothing changes it. */
  readonly rawBody: Buffer | undefined;
  /** The JSON text that the parameters are from, whatever has changed them since. */
  readonly given?: Buffer | undefined;
  /** The client's body when it is not JSON. */
  readonly upload?: Upload | undefined;
}

export interface ProxyOptions extends CallOptions {
  readonly method: string;
  /** The headers of the client that a provider may get, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** The client's body when it is not JSON. */
  readonly streamed?: StreamedBody | undefined;
}

export interface ModelsOptions extends CallOptions {
  /** `next` of the page before. */
  readonly page?: string;
}

/**
 * The upstream request for the operation of a call. Throws AppError: OPERATION_UNSUPPORTED, PROVIDER_FIELD_MISSING,
 * MODEL_REQUIRED, PARAMETER_INVALID, CONTENT_UNSUPPORTED, CREDENTIAL_UNAVAILABLE, or what the provider's writer returns.
 */
export function buildRequest(target: PreparedTarget, call: Call, options: RequestOptions): Deferred<OutgoingRequest> {
  const found = target.compiled.endpoints.get(call.endpoint);
  if (found === undefined) throw unsupported(target, call);
  if (found.endpoint.supports?.(call) === false) throw unsupported(target, call, ' for this model or deployment');
  const { endpoint } = found;
  const base = baseOf(target, call);
  const path = base.prefix + renderPath(target, call.stream ? found.streamPath : found.path, call);
  const { method, request: rule } = endpoint;
  if (rule.kind === 'form' || rule.kind === 'binary') {
    const { streamed, contentType } =
      rule.kind === 'form' ? shapeForm(rule.table, call, options.upload) : relayUpload(options.upload);
    const headers = { ...target.bareHeaders, ...(contentType === undefined ? {} : { 'content-type': contentType }) };
    return authorize(target, call, { method, origin: base.origin, path, headers, body: undefined, streamed }, options);
  }
  if (rule.kind === 'offer') {
    const { body, contentType } = offerOf(rule.hooks, call, options.given);
    const headers = { ...target.bareHeaders, 'content-type': contentType };
    return authorize(target, call, { method, origin: base.origin, path, headers, body }, options);
  }
  if (rule.kind === 'write' && rule.asForm?.(call) === true) {
    return andThen(shape(rule, call, options), (members) => {
      const { body, contentType } = formOfMembers(members, call);
      const headers = { ...target.bareHeaders, 'content-type': contentType };
      return authorize(target, call, { method, origin: base.origin, path, headers, body }, options);
    });
  }
  return andThen(bodyOf(rule, call, options), (body) => {
    const headers = { ...(body === undefined ? target.bareHeaders : target.jsonHeaders) };
    return authorize(target, call, { method, origin: base.origin, path, headers, body }, options);
  });
}

/** The upstream request for the provider's list of models. Throws as `buildRequest`. */
export function buildModelsRequest(
  target: PreparedTarget,
  call: Call,
  options: ModelsOptions,
): Deferred<OutgoingRequest> {
  const { modelsPath } = target.compiled;
  if (modelsPath === undefined) throw unsupported(target, call);
  const base = baseOf(target, call);
  const path = base.prefix + (options.page ?? renderPath(target, modelsPath, call));
  const headers = { ...target.bareHeaders };
  return authorize(target, call, { method: 'GET', origin: base.origin, path, headers, body: undefined }, options);
}

/**
 * The upstream request for a proxied call: the client's method, path, query, headers and body, and the provider's
 * credential, which replaces any of the client's.
 */
export function buildProxyRequest(
  target: PreparedTarget,
  call: Call,
  { method, headers: clientHeaders, body, streamed, forwarded, ...context }: ProxyOptions,
): Deferred<OutgoingRequest> {
  const { proxy } = target.provider;
  const base = target.customHost ? baseOf(target, call) : (proxyBase(target, call) ?? baseOf(target, call));
  const path = proxy.path?.(call) ?? proxyPath(call);
  const [ownPath = ''] = path.split('?', 1);
  refuseDotSegments(ownPath, 'path');
  checkDataPlane(target, { method, path: ownPath });
  refuseSessions(target, base.prefix + ownPath);
  const headers: Record<string, string> = { ...(body === undefined ? target.bareHeaders : target.jsonHeaders) };
  addCallHeaders(target, call, headers);
  // The client's Authorization may be a gateway key: forwarded only when the config or a header names it.
  const { authorization: _, ...passed } = clientHeaders;
  for (const name in passed) if (mayChoose(target, name)) headers[name] = passed[name] ?? '';
  Object.assign(headers, overlayOf(target, forwarded));
  const request: OutgoingRequest = { method, origin: base.origin, path: base.prefix + path, headers, body, streamed };
  const done = target.provider.auth.apply(request, call, {
    ...context,
    customHost: target.customHost,
  });
  return andThen(done, () => request);
}

/** Throws AppError `PATH_NOT_ALLOWED` for paths that a stored credential may not be used for. */
function checkDataPlane({ stored, allPaths, compiled, provider, fields }: PreparedTarget, call: ProxiedCall): void {
  if (!stored || allPaths || compiled.dataPlane.admits(call, placesOf(fields, provider.proxy.place))) return;
  throw new AppError('PATH_NOT_ALLOWED', {
    param: 'path',
    provider: provider.id,
    detail:
      `The call goes to an account of ${provider.id}, where ${call.method} ${call.path} is not among the data-plane paths; ` +
      'name the account that is meant in x-gw-provider. spec.proxyPaths: All in the resource of an account opens its administrative paths',
  });
}

/** Throws AppError `PATH_NOT_ALLOWED` for sessions that would pass whatever holds for them. */
function refuseSessions({ stored, provider }: PreparedTarget, path: string): void {
  if (!stored || !opensRealtimeSession(path)) return;
  throw new AppError('PATH_NOT_ALLOWED', {
    param: 'path',
    provider: provider.id,
    detail:
      'Calls and secrets of the realtime API are not proxied with the credential of an account; they are operations of their own: ' +
      'POST /v1/realtime/calls, POST /v1/realtime/client_secrets, POST /v1/realtime/sessions, POST /v1/realtime/transcription_sessions, ' +
      'POST /v1/realtime/translations/calls and POST /v1/realtime/translations/client_secrets',
  });
}

/** The client's path without `/v1/proxy` or `/v1`, and its query. */
export function proxyPath(call: Call): string {
  const path = call.path === '/proxy' || call.path.startsWith('/proxy/') ? call.path.slice(6) : call.path;
  return call.query === '' ? path : `${path}?${call.query}`;
}

function proxyBase(target: PreparedTarget, call: Call): Base | undefined {
  const url = target.provider.proxy.baseUrl?.(call);
  return url === undefined ? undefined : splitBase(url);
}

/** The call is not offered; `reach` says by what. */
export function unsupported(target: PreparedTarget, { operation }: Pick<Call, 'operation'>, reach = ''): AppError {
  const provider = target.provider.id;
  return new AppError('OPERATION_UNSUPPORTED', {
    detail: `${operation} is not offered by ${provider}${reach}`,
    provider,
  });
}

function renderPath(target: PreparedTarget, path: CompiledUrl, call: Call): string {
  if (typeof path === 'function') return path(call);
  if (path.constant !== undefined) return path.constant;
  const text = renderTemplate(path, (key) => pathPlace(target, key, call));
  if (!text.ok) throw fieldMissing(target.provider.id, text.error);
  return text.value.endsWith('?') ? text.value.slice(0, -1) : text.value;
}

function pathPlace(target: PreparedTarget, key: string, call: Call): string | undefined {
  if (key === 'query') return call.query;
  if (key === 'model') return pathText(requireModel(call), 'model');
  if (key === 'encoded_model') return pathSegment(requireModel(call), 'model');
  const segment = Object.hasOwn(call.route, key) ? call.route[key] : undefined;
  const value = segment ?? target.fields.text(key);
  return value === undefined ? undefined : pathText(value, key);
}

type JsonRule = Extract<RequestRule, { kind: 'table' | 'write' }>;

function bodyOf(
  rule: JsonRule | { readonly kind: 'none' },
  call: Call,
  options: RequestOptions,
): Deferred<Buffer | undefined> {
  if (rule.kind === 'none') return undefined;
  return andThen(shape(rule, call, options), (shaped) => {
    if (shaped === call.params && options.rawBody !== undefined) return options.rawBody;
    const keepsNumbers = rule.kind === 'table' && rule.keepsNumbers === true;
    return writeJson(shaped, keepsNumbers ? numbersIn(options.given) : undefined);
  });
}

function shape(rule: JsonRule, call: Call, context: RequestOptions): Deferred<object> {
  if (rule.kind === 'table') return shapedByTable(rule.table, call);
  return andThen(written(rule, call, context), (result) => {
    if (!result.ok) throw result.error;
    return result.value;
  });
}

function shapedByTable(table: RequestTable, call: Call): object {
  try {
    return shapeBody(table, call.params, call);
  } catch (error) {
    throw namePart(error, call);
  }
}

type WriteRule = Extract<JsonRule, { kind: 'write' }>;

function written(rule: WriteRule, call: Call, context: RequestOptions): ReturnType<WriteRule['write']> {
  try {
    const result = rule.write(withoutPlaceholders(call.params), call, context);
    if (!(result instanceof Promise)) return result;
    return result.catch((error: unknown) => {
      throw namePart(error, call);
    });
  } catch (error) {
    throw namePart(error, call);
  }
}

/**
 * Headers of a typed call, later wins: content type, provider, credential, stored and forwarded headers; a signature comes
 * last. Stored and forwarded headers are set before the authorizer runs, so that it sees what replaces its credential.
 */
export function authorize(
  target: PreparedTarget,
  call: Call,
  request: OutgoingRequest,
  { forwarded, services, signal }: CallOptions,
): Deferred<OutgoingRequest> {
  addCallHeaders(target, call, request.headers);
  const overlay = overlayOf(target, forwarded);
  if (overlay !== undefined) Object.assign(request.headers, overlay);
  const { auth } = target.provider;
  const done = auth.apply(request, call, {
    services,
    signal,
    customHost: target.customHost,
  });
  return andThen(done, () => {
    if (overlay !== undefined && !auth.signs) Object.assign(request.headers, overlay);
    return request;
  });
}

function addCallHeaders(target: PreparedTarget, call: Call, headers: Record<string, string>): void {
  for (const [name, value] of target.compiled.callHeaders) {
    const text = typeof value === 'function' ? value(call) : renderHeader(value, call);
    if (text !== undefined) headers[name] = text;
  }
}

function renderHeader(template: CompiledTemplate, call: Call): string | undefined {
  const places = new Map([
    ['model', call.model],
    ['encoded_model', percentEncoded(call.model)],
    ['query', call.query],
  ]);
  const text = renderTemplate(template, (key) => places.get(key) ?? call.fields.text(key));
  return text.ok ? text.value : undefined;
}

/** Headers of the body's framing and of the connection, both of which differ upstream. */
const FRAMING: ReadonlySet<string> = new Set([
  ...['host', 'content-length', 'transfer-encoding', 'connection', 'keep-alive', 'expect', 'te', 'trailer', 'upgrade'],
]);

/** Whether the caller may set the header: a stored credential excludes those that choose what it reaches. */
const mayChoose = ({ stored, compiled }: PreparedTarget, name: string): boolean =>
  !stored || !(isRoutingHeader(name) || compiled.routingHeaders.has(name.replaceAll('_', '-')));

/** Stored and forwarded headers; undefined when there is none, which is the common case. */
function overlayOf(
  target: PreparedTarget,
  forwarded: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | undefined {
  let overlay: Record<string, string> | undefined;
  for (const [name, value] of target.customHeaders) {
    if (endsHere(name)) continue;
    overlay ??= {};
    overlay[name] = value.reveal();
  }
  for (const name in forwarded) {
    const value = forwarded[name];
    if (value === undefined || endsHere(name) || !mayChoose(target, name)) continue;
    overlay ??= {};
    overlay[name] = value;
  }
  return overlay;
}

const endsHere = (name: string): boolean => FRAMING.has(name) || name.startsWith('x-gw-');
