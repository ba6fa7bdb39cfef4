/** An upstream client in front of a server whose answers are written byte by byte. */
import { AppError } from '../../../gateway/src/errors/index.ts';
import { Cancellation, type CancelSignal } from '../../../gateway/src/lib/cancellation.ts';
import { createHostPolicy } from '../../../gateway/src/upstream/host-guard/index.ts';
import {
  createUpstreamClient,
  type UpgradingClient,
  type UpstreamClient,
  type UpstreamClientOptions,
  type UpstreamLimits,
  type UpstreamRequest,
} from '../../../gateway/src/upstream/index.ts';
import { type RawReply, startRawUpstream } from '../../kit/raw-upstream.ts';

export interface Variant {
  readonly name: string;
  create(options: UpstreamClientOptions): UpstreamClient & UpgradingClient;
}

/** The clients that the suite is run with; a new one is a row. */
export const VARIANTS: readonly Variant[] = [{ name: 'undici', create: createUpstreamClient }];

const LIMITS: UpstreamLimits = { headersTimeoutMs: 10_000, idleTimeoutMs: 10_000 };
export const MAX_BYTES = 64 * 1024 * 1024;

/** A client and a server whose answers the test writes byte by byte. */
export async function open(
  { create }: Variant,
  handler: (reply: RawReply) => void | Promise<void>,
  over: Partial<UpstreamClientOptions> = {},
) {
  const server = await startRawUpstream(handler);
  const client = create({
    hosts: createHostPolicy({ trustedCustomHosts: '', production: true }),
    connectTimeoutMs: 2_000,
    connectionsPerOrigin: 4,
    keepAliveMs: 60_000,
    ca: undefined,
    proxy: { http: undefined, https: undefined, no: undefined },
    ...over,
  });
  const request: UpstreamRequest = {
    method: 'POST',
    origin: server.url,
    path: '/v1/chat?a=1',
    headers: { 'content-type': 'text/plain', 'x-one': 'two' },
    body: Buffer.from('ping'),
    hostOrigin: 'resource',
  };
  return {
    client,
    server,
    request,
    send: (
      change: Partial<UpstreamRequest> = {},
      { signal = new Cancellation(), limits = {} }: { signal?: CancelSignal; limits?: Partial<UpstreamLimits> } = {},
    ) => client.send({ ...request, ...change }, { signal, limits: { ...LIMITS, ...limits } }),
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** The code of the error that a call ends with. */
export const code = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'no error',
    (error: unknown) => (error instanceof AppError ? error.code : error),
  );
