/** Fetches the key set of an issuer (RFC 7517, section 5). */
import { isObject } from '@gatehouse/crds';
import type { ByteBudget } from '../lib/byte-budget.ts';
import { cancelAfter } from '../lib/cancellation.ts';
import { type JsonLimits, readJson } from '../lib/json/index.ts';
import type { UpstreamClient, UpstreamLimits } from '../upstream/index.ts';

const TIMEOUT_MS = 5_000;
const LIMITS: UpstreamLimits = { headersTimeoutMs: TIMEOUT_MS, idleTimeoutMs: TIMEOUT_MS };
const MAX_BYTES = 256 * 1024;
const JSON_LIMITS: JsonLimits = { depth: 8, nodes: 20_000, stringBytes: 64 * 1024 };

export interface FetchKeysPorts {
  /** Guards the host: as one that the organisation names. */
  readonly client: UpstreamClient;
  readonly budget: ByteBudget;
}

/** Rejects with AppError of the upstream family, or with an Error. Redirects are not followed. */
export function createKeyFetcher({ client, budget }: FetchKeysPorts): (uri: string) => Promise<readonly unknown[]> {
  return async (uri) => {
    const { origin, pathname, search } = new URL(uri);
    const memory = budget.open();
    try {
      const answer = await client.send(
        {
          method: 'GET',
          origin,
          path: pathname + search,
          headers: { accept: 'application/jwk-set+json, application/json' },
          body: undefined,
          hostOrigin: 'resource',
        },
        { signal: cancelAfter(TIMEOUT_MS), limits: LIMITS },
      );
      if (answer.status !== 200) {
        answer.body.discard();
        throw new Error(`the issuer answered with status ${answer.status}`);
      }
      return keysOf(await answer.body.collect(MAX_BYTES, memory));
    } finally {
      memory.close();
    }
  };
}

function keysOf(bytes: Buffer): readonly unknown[] {
  const set = jsonOf(bytes);
  if (isObject(set) && Array.isArray(set['keys'])) return set['keys'];
  throw new Error('the answer of the issuer is no key set');
}

/** The error of a parser quotes the text. */
function jsonOf(bytes: Buffer): unknown {
  try {
    return readJson(bytes, JSON_LIMITS, { repeated: false });
  } catch {
    return undefined;
  }
}
