import type { Readable } from 'node:stream';
import { AppError } from '../errors/index.ts';
import type { CancelSignal } from '../lib/cancellation.ts';
import { createHostPolicy } from '../upstream/host-guard/index.ts';
import {
  createUpstreamClient,
  failureReason,
  type UpgradeAnswer,
  type UpgradingClient,
  type UpstreamClient,
  type UpstreamClientOptions,
  type UpstreamLimits,
  type UpstreamRequest,
  type UpstreamResponse,
} from '../upstream/index.ts';
import { createTokenFile } from './token-file.ts';

/** Where a fleet is reached. */
export interface FleetAddress {
  /** `https://host:port`; plain HTTP on loopback only, since elsewhere the token could be read in transit. */
  readonly url: string;
  /** The certificate authority of the fleet as PEM; absent: those of the system. */
  readonly ca?: string | undefined;
}

export interface FleetRequest {
  readonly method: string;
  /** Path and query, encoded. */
  readonly path: string;
  /** Without those of the connection, the host and the key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | Readable | undefined;
}

export interface FleetLink {
  /**
   * Sends a request with the token of the pod and resolves as soon as the headers of the answer are there. Rejects with
   * FLEET_UNAVAILABLE when there is no answer, and with the reason of the signal.
   */
  send(to: FleetAddress, request: FleetRequest, signal: CancelSignal): Promise<UpstreamResponse>;
  /** As `send`, for a request whose answer may be a WebSocket. The signal counts until the answer is there. */
  connect(to: FleetAddress, request: FleetRequest, signal: CancelSignal): Promise<UpgradeAnswer>;
  /** Cuts what is in flight. */
  close(): Promise<void>;
}

export interface FleetLinkOptions
  extends Pick<UpstreamClientOptions, 'connectTimeoutMs' | 'connectionsPerOrigin' | 'keepAliveMs'> {
  /** File with the token of the pod; it is read again when it changes. */
  readonly tokenFile: string;
  readonly limits: UpstreamLimits;
}

/** In ms; a fleet that restarts is back within seconds. */
const RETRY_AFTER_MS = 1_000;
/** The operator names the address, which is one of Gatehouse itself: the rules for custom hosts are for what tenants name. */
const HOSTS = createHostPolicy({ trustedCustomHosts: undefined, production: true });
/** A fleet is reached inside the cluster. */
const NO_PROXY = { http: undefined, https: undefined, no: undefined };

export function createFleetLink(options: FleetLinkOptions): FleetLink {
  const token = createTokenFile(options.tokenFile);
  let current: { readonly to: FleetAddress; readonly client: UpstreamClient & UpgradingClient } | undefined;
  // What is in flight on the client of an earlier address ends in its own time, and its idle connections close by themselves.
  const clientFor = (to: FleetAddress): UpstreamClient & UpgradingClient => {
    if (current === undefined || current.to.url !== to.url || current.to.ca !== to.ca) {
      current = { to, client: createUpstreamClient({ ...options, hosts: HOSTS, proxy: NO_PROXY, ca: to.ca }) };
    }
    return current.client;
  };
  const toCall = async (origin: string, { headers, ...request }: FleetRequest): Promise<UpstreamRequest> => {
    const ownToken = await token.read().catch((error: unknown) => {
      throw unavailable('the pod has no token for it: a pod that is older than its fleet must be replaced', error);
    });
    return { ...request, origin, headers: { ...headers, 'x-gw-api-key': ownToken }, hostOrigin: 'resource' };
  };
  const asked = async <T>(
    { url }: FleetAddress,
    request: FleetRequest,
    { signal, ask }: { readonly signal: CancelSignal; readonly ask: (call: UpstreamRequest) => Promise<T> },
  ): Promise<T> => {
    const origin = originOf(url);
    return ask(await toCall(origin, request)).catch((error: unknown) => {
      throw signal.cancelled ? signal.reason : unavailable(`no answer from ${origin}${because(error)}`, error);
    });
  };
  /** A token that is refused is read anew. */
  const checked = (response: UpstreamResponse): void => {
    if (response.status === 401) token.forget();
  };
  const { limits } = options;
  return {
    send: async (to, request, signal) => {
      const ask = (call: UpstreamRequest) => clientFor(to).send(call, { signal, limits });
      const response = await asked(to, request, { signal, ask });
      checked(response);
      return response;
    },
    connect: async (to, request, signal) => {
      const ask = (call: UpstreamRequest) => clientFor(to).upgrade(call, { signal, limits, protocol: 'websocket' });
      const answer = await asked(to, request, { signal, ask });
      if (answer.kind === 'response') checked(answer.response);
      return answer;
    },
    close: async () => {
      await current?.client.close();
    },
  };
}

function originOf(address: string): string {
  const url = URL.parse(address);
  const isLoopback = url?.hostname === '127.0.0.1' || url?.hostname === '[::1]';
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback)) return url.origin;
  throw unavailable('its address is not https://');
}

function because(error: unknown): string {
  const reason = error instanceof AppError ? failureReason(error.cause) : undefined;
  return reason === undefined ? '' : `: ${reason}`;
}

const unavailable = (why: string, cause?: unknown): AppError =>
  new AppError('FLEET_UNAVAILABLE', {
    detail: `The fleet that has the credential of the target is away: ${why}`,
    retryAfterMs: RETRY_AFTER_MS,
    cause,
  });
