/** Errors in the format of the client; docs/behaviour/errors.md#shapes. */
import { isObject } from '@gatehouse/crds';
import type { ErrorRow, ErrorShape } from '@gatehouse/crds/errors';
import type { AppError } from './app-error.ts';
import { encodeStatus, statusObject } from './otlp-status.ts';

/** The error format of the client's API. */
export type ErrorFormat = 'openai' | 'messages' | 'ollama' | 'cohere' | 'gemini' | 'otlp' | 'otlp_protobuf';

/** Also behind a base URL with a `/v1` too many: the client understands its own format alone. */
const MESSAGES_PATH = /^(?:\/v1){1,2}\/messages(?:\/|$)/;

/** The format of a path's errors: everything below `/v1/messages` is Anthropic's. */
export function errorFormatOfPath(path: string): ErrorFormat {
  if (MESSAGES_PATH.test(path)) return 'messages';
  if (path.startsWith('/api/')) return 'ollama';
  if (path.startsWith('/v1beta/')) return 'gemini';
  return path.startsWith('/v2/') ? 'cohere' : 'openai';
}

export interface RenderedError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Writes the names of headers in a text as the client has them. */
export type Spell = (text: string) => string;

const AS_THEY_ARE: Spell = (text) => text;

/** Status, headers and body of an error, which is JSON but for `otlp_protobuf`. Never throws and never shows what the row does not expose. */
export function renderError(error: AppError, protocol: ErrorFormat, spell = AS_THEY_ARE): RenderedError {
  const { row } = error;
  const words: Words = {
    message: spell(row.expose ? error.message : row.summary),
    param: error.param === undefined ? null : spell(error.param),
  };
  const shaped =
    protocol === 'messages'
      ? messagesBody(error, words)
      : toDoorError(BODIES[row.shape](error, words), protocol, row.status);
  if (protocol === 'otlp_protobuf') {
    const said = 'message' in shaped && typeof shaped.message === 'string' ? shaped.message : words.message;
    const headers = { ...headersOf(error), 'content-type': 'application/x-protobuf' };
    return { status: row.status, headers, body: encodeStatus(said, row.status) };
  }
  const body = row.expose ? { ...shaped, ...error.members } : shaped;
  return { status: row.status, headers: headersOf(error), body: Buffer.from(JSON.stringify(body)) };
}

function headersOf(error: AppError): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': 'application/json; charset=utf-8' };
  if (error.retryAfterMs !== undefined)
    headers['retry-after'] = String(Math.max(1, Math.ceil(error.retryAfterMs / 1000)));
  if (error.allow !== undefined) headers['allow'] = error.allow.join(', '); // RFC 9110 section 15.5.6
  if (error.code === 'UPGRADE_REQUIRED') headers['upgrade'] = 'websocket'; // RFC 9110 section 15.5.22
  if (error.code === 'INTERNAL' || error.code === 'OPERATION_UNSUPPORTED') headers['x-gw-gateway-exception'] = 'true';
  return headers;
}

/** What of an error is shown to its client. */
interface Words {
  readonly message: string;
  readonly param: string | null;
}

const fields = ({ row }: AppError, { message, param }: Words): object => ({
  message,
  type: row.type,
  param,
  code: row.wireCode,
});

const BODIES: Readonly<Record<ErrorShape, (error: AppError, words: Words) => object>> = {
  key: (error, words) => {
    const message = `Gateway Error: ${words.message}. Error Code: ${error.row.wireCode}`;
    return { status: 'failure', message, error: fields(error, { ...words, message }) };
  },
  validation: (error, words) => ({
    status: 'failure',
    message: words.message,
    ...issuesOf(error),
    error: fields(error, words),
  }),
  openai: (error, words) => ({ error: fields(error, words) }),
  provider: (error, words) => ({
    error: fields(error, words),
    ...(error.provider === undefined ? {} : { provider: error.provider }),
  }),
  blocked: (error, words) => ({
    status: 'failure',
    message: words.message,
    error: { ...fields(error, words), field: words.param },
  }),
  route: (error, words) => ({ message: error.row.summary, ok: false, error: fields(error, words) }),
};

/** One entry per problem, each with its path. */
function issuesOf({ issues }: AppError): object {
  if (issues === undefined || issues.length === 0) return {};
  return { errors: issues.map(({ path, message }) => `path: ${path.join(',')}, message: ${message}`) };
}

/** Error types by status: those of the Anthropic API, and one of guardrails. Source: Anthropic API, errors. */
const MESSAGES_TYPES: ReadonlyMap<number, string> = new Map([
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [408, 'timeout_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [446, 'hooks_failed'],
  [529, 'overloaded_error'],
]);

/** The type that clients of Anthropic get with a status. */
export function messagesErrorType({ status }: Pick<ErrorRow, 'status'>): string {
  return MESSAGES_TYPES.get(status) ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
}

/** Those that have no status of their own. */
const FURTHER_TYPES = ['api_error', 'billing_error'];
const OWN_TYPES: ReadonlySet<string> = new Set([...MESSAGES_TYPES.values(), ...FURTHER_TYPES]);

/** Words of other APIs for what a stream breaks with, where no status says it. */
const SAME_AS: ReadonlyMap<string, string> = new Map([
  ...['server_error', 'internal_error', 'internal_server_error', 'INTERNAL', 'UNKNOWN'].map(
    (word) => [word, 'api_error'] as const,
  ),
  ...['overloaded', 'server_overloaded', 'service_unavailable', 'service_unavailable_error', 'UNAVAILABLE'].map(
    (word) => [word, 'overloaded_error'] as const,
  ),
  ...['rate_limit_exceeded', 'insufficient_quota', 'tokens', 'requests', 'RESOURCE_EXHAUSTED'].map(
    (word) => [word, 'rate_limit_error'] as const,
  ),
  ['INVALID_ARGUMENT', 'invalid_request_error'],
  ['DEADLINE_EXCEEDED', 'timeout_error'],
]);

/** A provider's type as clients of Anthropic know it: by the status where there is one. */
export function messagesTypeOf(type: string | null | undefined, status?: number): string {
  if (typeof type === 'string' && OWN_TYPES.has(type)) return type;
  if (status !== undefined) return messagesErrorType({ status });
  return SAME_AS.get(type ?? '') ?? type ?? 'api_error';
}

function messagesBody(error: AppError, words: Words): object {
  const plain = BODIES[error.row.shape](error, words);
  return { ...plain, type: 'error', error: { ...fields(error, words), type: messagesErrorType(error.row) } };
}

/** An error in our own form as the clients of another API read it: Ollama's have a text, Cohere's a message, Gemini's a status. */
export function toDoorError(plain: object, format: ErrorFormat, status: number): object {
  if (format === 'openai' || format === 'messages') return plain;
  const { error, hook_results: results }: { error?: unknown; hook_results?: unknown } = plain;
  if (!isObject(error)) return plain;
  const { message } = error;
  const said = typeof message === 'string' ? message : UNNAMED;
  return {
    ...DOOR_ERRORS[format](said, status),
    ...(results === undefined ? {} : { hook_results: results }),
  };
}

const DOOR_ERRORS: Readonly<
  Record<Exclude<ErrorFormat, 'openai' | 'messages'>, (message: string, status: number) => object>
> = {
  ollama: (message) => ({ error: message }),
  cohere: (message) => ({ message }),
  gemini: (message, code) => ({ error: { code, message, status: canonicalCode(code) } }),
  otlp: statusObject,
  otlp_protobuf: statusObject,
};

/** Source: google.rpc.Code and its mapping to HTTP. */
const CANONICAL_CODES: ReadonlyMap<number, string> = new Map([
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [408, 'DEADLINE_EXCEEDED'],
  [409, 'ABORTED'],
  [412, 'FAILED_PRECONDITION'],
  [429, 'RESOURCE_EXHAUSTED'],
  [499, 'CANCELLED'],
  [501, 'UNIMPLEMENTED'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
]);

const canonicalCode = (status: number): string =>
  CANONICAL_CODES.get(status) ?? (status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT');

/** Of a provider that says nothing. */
const UNNAMED = 'The provider reported an error';
