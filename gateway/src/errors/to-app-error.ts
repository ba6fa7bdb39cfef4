import type { ErrorCode } from '@gatehouse/crds/errors';
import { AppError } from './app-error.ts';

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

/** The only conversion from a caught value to an AppError. Aborts carry their AppError in the signal's reason. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const code = codeOf(thrown);
  if (code === undefined) return new AppError('INTERNAL', { cause: thrown });
  const known = BY_CODE.get(code) ?? BY_PREFIX.find(([prefix]) => code.startsWith(prefix))?.[1];
  return new AppError(known ?? 'INTERNAL', { cause: thrown });
}

function codeOf(thrown: unknown): string | undefined {
  if (thrown instanceof AggregateError) return codeOf(thrown.errors[0]);
  if (!(thrown instanceof Error)) return undefined;
  if ('code' in thrown && typeof thrown.code === 'string') return thrown.code;
  return thrown.name === 'HTTPParserError' ? 'HPE_OTHER' : undefined; // undici sometimes omits the code
}
