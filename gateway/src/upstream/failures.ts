/** Failures of upstream calls: their error codes and, before an answer, the origin of the call, which people can check. */
import type { ErrorCode } from '@gatehouse/crds/errors';
import { AppError } from '../errors/index.ts';

/** Error codes of undici and of sockets. Source: undici documentation, "Errors"; Node errno names. */
const BY_CODE: ReadonlyMap<string, ErrorCode> = new Map<string, ErrorCode>([
  ['UND_ERR_CONNECT_TIMEOUT', 'UPSTREAM_CONNECT_TIMEOUT'],
  ['UND_ERR_HEADERS_TIMEOUT', 'UPSTREAM_TIMEOUT'],
  ['UND_ERR_BODY_TIMEOUT', 'UPSTREAM_STREAM_IDLE'],
  ['UND_ERR_HEADERS_OVERFLOW', 'UPSTREAM_INVALID_RESPONSE'],
  ['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'UPSTREAM_TOO_LARGE'],
  ['ETIMEDOUT', 'UPSTREAM_CONNECT_TIMEOUT'],
  ['ECONNREFUSED', 'UPSTREAM_UNREACHABLE'],
  ['ECONNRESET', 'UPSTREAM_UNREACHABLE'],
  ['EPIPE', 'UPSTREAM_UNREACHABLE'],
  ['ENOTFOUND', 'UPSTREAM_UNREACHABLE'],
  ['EPROTO', 'UPSTREAM_UNREACHABLE'],
  ['EADDRNOTAVAIL', 'UPSTREAM_UNREACHABLE'],
  ['ECONNABORTED', 'UPSTREAM_UNREACHABLE'],
  ['EHOSTDOWN', 'UPSTREAM_UNREACHABLE'],
  ['EHOSTUNREACH', 'UPSTREAM_UNREACHABLE'],
  ['ENETDOWN', 'UPSTREAM_UNREACHABLE'],
  ['ENETUNREACH', 'UPSTREAM_UNREACHABLE'],
  // undici asserts that answers are valid: a status below 100 or an upgrade without request fails the assertion.
  ['ERR_ASSERTION', 'UPSTREAM_INVALID_RESPONSE'],
]);

/** Codes of a family: TLS failures and everything undici or its HTTP parser reports. */
const BY_PREFIX: readonly (readonly [prefix: string, code: ErrorCode])[] = [
  ['ERR_TLS', 'UPSTREAM_UNREACHABLE'],
  ['ERR_SSL', 'UPSTREAM_UNREACHABLE'],
  ['CERT_', 'UPSTREAM_UNREACHABLE'],
  ['DEPTH_ZERO', 'UPSTREAM_UNREACHABLE'],
  ['SELF_SIGNED', 'UPSTREAM_UNREACHABLE'],
  ['UNABLE_TO', 'UPSTREAM_UNREACHABLE'],
  ['EAI_', 'UPSTREAM_UNREACHABLE'],
  ['HPE_', 'UPSTREAM_INVALID_RESPONSE'],
  ['UND_ERR', 'UPSTREAM_UNREACHABLE'],
];

/** A failure of the client, its sockets or name resolution as an AppError of the upstream family; a bug is INTERNAL. */
export function toUpstreamError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const header = refusedHeader(thrown);
  if (header !== undefined) return unsendable(header, thrown);
  const code = codeOf(thrown);
  if (code === undefined) return new AppError('INTERNAL', { cause: thrown });
  const known = BY_CODE.get(code) ?? BY_PREFIX.find(([prefix]) => code.startsWith(prefix))?.[1];
  return new AppError(known ?? 'INTERNAL', { cause: thrown });
}

/** As undici words it where a value cannot be sent. */
const REFUSED_HEADER = /^invalid (\S+) header$/;

function refusedHeader(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || codeOf(thrown) !== 'UND_ERR_INVALID_ARG') return undefined;
  return REFUSED_HEADER.exec(thrown.message)?.[1];
}

const unsendable = (header: string, cause: unknown): AppError =>
  new AppError('CREDENTIAL_UNAVAILABLE', {
    detail: `The value of ${header} for the provider has characters that no header can carry; correct the stored credential or header`,
    cause,
  });

function codeOf(thrown: unknown): string | undefined {
  if (thrown instanceof AggregateError) return codeOf(thrown.errors[0]);
  if (!(thrown instanceof Error)) return undefined;
  if ('code' in thrown && typeof thrown.code === 'string') return thrown.code;
  return thrown.name === 'HTTPParserError' ? 'HPE_OTHER' : undefined; // undici sometimes omits the code
}

const SENTENCES: ReadonlyMap<ErrorCode, (origin: string) => string> = new Map<ErrorCode, (origin: string) => string>([
  ['UPSTREAM_UNREACHABLE', (origin) => `The provider could not be reached at ${origin}`],
  ['UPSTREAM_CONNECT_TIMEOUT', (origin) => `The connection to the provider at ${origin} could not be opened in time`],
  [
    'UPSTREAM_ADDRESS_REFUSED',
    (origin) =>
      `The provider host of ${origin} resolves to an address that is not allowed; TRUSTED_CUSTOM_HOSTS names the private hosts that are`,
  ],
]);

/** The codes of sockets and TLS in plain English. Source: Node errno names, OpenSSL verification errors. */
const REASONS: readonly (readonly [prefix: string, reason: string])[] = [
  ['ECONNREFUSED', 'nothing accepts connections there'],
  ['ENOTFOUND', 'the name has no address'],
  ['EAI_', 'the name could not be looked up'],
  ['ECONNRESET', 'the connection was closed'],
  ['EPIPE', 'the connection was closed'],
  ['UND_ERR_SOCKET', 'the connection was closed'],
  ['EHOSTUNREACH', 'there is no route to it'],
  ['ENETUNREACH', 'there is no route to it'],
  ['CERT_', 'its certificate is not valid'],
  ['DEPTH_ZERO', 'its certificate is not trusted'],
  ['SELF_SIGNED', 'its certificate is not trusted'],
  ['UNABLE_TO', 'its certificate is not trusted'],
  ['ERR_TLS_CERT', 'its certificate is for another name'],
  ['ERR_SSL', 'it does not speak TLS'],
  ['EPROTO', 'it does not speak TLS'],
];

/** The same error with a detail that names `origin` (scheme, host and port: never a credential); others as they are. */
export function withOrigin(error: AppError, origin: string): AppError {
  const sentence = error.detail === undefined ? SENTENCES.get(error.code) : undefined;
  if (sentence === undefined) return error;
  const reason = failureReason(error.cause);
  const detail = reason === undefined ? sentence(origin) : `${sentence(origin)}: ${reason}`;
  return new AppError(error.code, { detail, cause: error.cause });
}

/** Why a connection failed, in plain English; undefined: nothing is known that people can act on. */
export function failureReason(cause: unknown): string | undefined {
  if (cause instanceof AggregateError) return failureReason(cause.errors[0]);
  if (typeof cause !== 'object' || cause === null || !('code' in cause)) return undefined;
  const { code } = cause;
  return typeof code === 'string' ? REASONS.find(([prefix]) => code.startsWith(prefix))?.[1] : undefined;
}
