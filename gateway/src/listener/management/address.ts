import { type ClientRequest, type OutgoingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

/** Where the management API is served. */
export type ManagementAddress =
  /** A socket in the file system that only this user can open. */
  | { readonly socketPath: string }
  /** HTTPS; the authorities of the server as PEM, absent: those of the system. */
  | { readonly url: URL; readonly ca: string | undefined };

export interface OutgoingRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
}

/** Until there is a connection, in ms. */
const CONNECT_MS = 5_000;
/** Longer than the management API takes at most, in ms. */
const ANSWER_MS = 60_000;

/**
 * Starts a request on a connection of its own: an idle one may be closed by the other side just now, and a write is not sent twice.
 * Without a connection or an answer in time it has an error.
 */
export function openRequest(address: ManagementAddress, request: OutgoingRequest): ClientRequest {
  const how = { ...request, agent: false, timeout: ANSWER_MS } as const;
  const opened =
    'socketPath' in address
      ? requestHttp({ ...how, ...address })
      : requestHttps({ ...how, ...hostOf(address), ...(address.ca === undefined ? {} : { ca: address.ca }) });
  const connecting = setTimeout(() => opened.destroy(new Error('no connection in time')), CONNECT_MS);
  const event = 'socketPath' in address ? 'connect' : 'secureConnect';
  opened.on('socket', (socket) => socket.once(event, () => clearTimeout(connecting)));
  opened.on('close', () => clearTimeout(connecting));
  opened.on('timeout', () => opened.destroy(new Error('no answer in time')));
  return opened;
}

/** The `Host` of the caller is passed on, so the name of the certificate is given. */
function hostOf({ url: { hostname, port } }: Extract<ManagementAddress, { readonly url: URL }>) {
  const host = hostname.replace(/^\[|\]$/g, '');
  return { host, servername: /^[\d.]+$|:/.test(host) ? '' : host, port: port === '' ? 443 : Number(port) };
}

/** What failed, for callers: without addresses. */
export function failureOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const known = FAILURES.find(({ codes }) => codes.some((prefix) => code.startsWith(prefix)));
  return (
    known?.text ?? (error instanceof Error && /in time$/.test(error.message) ? error.message : 'the connection broke')
  );
}

const FAILURES: readonly { readonly codes: readonly string[]; readonly text: string }[] = [
  { codes: ['ECONNREFUSED', 'ENOENT'], text: 'it does not run' },
  { codes: ['ENOTFOUND', 'EAI_'], text: 'its name is not known' },
  {
    codes: ['CERT_', 'UNABLE_TO_', 'SELF_SIGNED', 'DEPTH_ZERO', 'ERR_TLS_CERT'],
    text: 'its certificate is not trusted',
  },
];
