/** Failures before an answer, with the origin of the call, which a caller or operator can check. */
import type { ErrorCode } from '@gatehouse/crds/errors';
import { AppError } from '../errors/index.ts';

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
export function locate(error: AppError, origin: string): AppError {
  const sentence = error.detail === undefined ? SENTENCES.get(error.code) : undefined;
  if (sentence === undefined) return error;
  const reason = reasonOf(error.cause);
  const detail = reason === undefined ? sentence(origin) : `${sentence(origin)}: ${reason}`;
  return new AppError(error.code, { detail, cause: error.cause });
}

function reasonOf(cause: unknown): string | undefined {
  if (cause instanceof AggregateError) return reasonOf(cause.errors[0]);
  if (typeof cause !== 'object' || cause === null || !('code' in cause)) return undefined;
  const { code } = cause;
  return typeof code === 'string' ? REASONS.find(([prefix]) => code.startsWith(prefix))?.[1] : undefined;
}
