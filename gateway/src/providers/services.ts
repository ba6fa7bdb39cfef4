import type { ErrorCode } from '@gatehouse/crds/errors';
import { LRUCache } from 'lru-cache';
import { AppError } from '../errors/index.ts';
import type { ByteAccount } from '../lib/byte-budget.ts';
import { atMostEntries } from '../lib/entry-bound.ts';
import type { ConnectOrigin, HostScope, Reach, UpstreamClient, UpstreamLimits } from '../upstream/index.ts';
import type { ProviderServices, SideRequest } from './contract.ts';

export interface ServicesOptions {
  readonly client: UpstreamClient;
  readonly limits: UpstreamLimits;
  env(name: string): string | undefined;
  /** Unix time in ms. */
  now(): number;
}

/** Default limit of a side call's answer in bytes. */
const MAX_SIDE_BYTES = 1024 * 1024;
/** Tokens and look-ups that are kept. */
const MAX_CACHED = 10_000;

type Maker<T> = () => Promise<{ readonly value: T; readonly ttlMs: number }>;

interface Kept {
  readonly value: unknown;
  readonly expiresAtMs: number;
}

/**
 * Side calls of authorizers and request writers, for accounts whose hosts come from the given origin. Cached values are shared
 * by all of them; answers are counted in the memory account of the caller.
 */
export function createProviderServices({
  client,
  limits,
  env,
  now,
}: ServicesOptions): (origin: HostScope, memory: ByteAccount) => ProviderServices {
  const kept = new LRUCache<string, Kept>(atMostEntries(MAX_CACHED));
  const making = new Map<string, Promise<unknown>>();

  const make = async <T>(key: string, maker: Maker<T>): Promise<T> => {
    const { value, ttlMs } = await maker();
    if (ttlMs > 0) kept.set(key, { value, expiresAtMs: now() + ttlMs });
    return value;
  };

  const cached: ProviderServices['cached'] = <T>(key: string, maker: Maker<T>): Promise<T> => {
    const known = kept.get(key);
    if (known !== undefined && now() < known.expiresAtMs) return Promise.resolve(known.value as T); // the key names the type
    const running = making.get(key) as Promise<T> | undefined; // as above
    if (running !== undefined) {
      // The request that started it may have been aborted; the waiting ones are not.
      return running.catch((error) => (isGivenUp(error) ? cached(key, maker) : Promise.reject(error)));
    }
    const fresh = make(key, maker).finally(() => making.delete(key));
    making.set(key, fresh);
    return fresh;
  };

  return (origin, memory) => ({
    env,
    now,
    fetch: async ({ method, url, headers = {}, body, maxBytes = MAX_SIDE_BYTES, ...kind }, { signal }) => {
      const target = new URL(url);
      const response = await client.send(
        {
          method,
          origin: target.origin,
          path: target.pathname + target.search,
          headers,
          body: body === undefined ? undefined : Buffer.from(body),
          hostOrigin: originOf(kind, origin),
        },
        { signal, limits },
      );
      const bytes = await response.body.collect(maxBytes, memory);
      return { status: response.status, headers: flat(response.headers), body: bytes };
    },
    cached,
  });
}

const GIVEN_UP: ReadonlySet<ErrorCode> = new Set(['CLIENT_CLOSED', 'DRAINING', 'UPSTREAM_TIMEOUT']);

const isGivenUp = (error: unknown): boolean => error instanceof AppError && GIVEN_UP.has(error.code);

function originOf(
  { metadata, account }: Pick<SideRequest, 'metadata' | 'account'>,
  origin: HostScope,
): ConnectOrigin | Reach {
  if (metadata === true) return 'metadata';
  return account === true ? origin : 'request';
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) out[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return out;
}
