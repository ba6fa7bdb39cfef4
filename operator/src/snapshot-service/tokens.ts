/** Who sends a ServiceAccount token: asked of the API server, remembered for a short while. */
import { createHash } from 'node:crypto';
import { SNAPSHOT_AUDIENCE } from '@gatehouse/crds/snapshot';
import { z } from 'zod';
import { apiVersionOf, type Clock, type KindRef, type KubeClient, type KubeObject } from '../runtime/index.ts';

/** The ServiceAccount behind a token, as far as it counts: which workspace it may hear of. */
export interface Caller {
  readonly namespace: string;
}

export interface TokenReview extends KubeObject {
  readonly spec: { readonly token: string; readonly audiences: readonly string[] };
  readonly status?: unknown;
}

export const TOKEN_REVIEWS: KindRef<TokenReview> = {
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'TokenReview',
  plural: 'tokenreviews',
  namespaced: false,
};

export interface TokensOptions {
  readonly client: Pick<KubeClient, 'create'>;
  readonly clock: Clock;
}

export interface Tokens {
  /** Undefined for a token that is not one of a ServiceAccount for this audience. Rejects with ApiError. */
  callerOf(token: string, signal: AbortSignal): Promise<Caller | undefined>;
}

/** A pod that reconnects is not asked for again, and one that is gone is not let in for long. */
const REMEMBERED_MS = 30_000;
const MAX_REMEMBERED = 5_000;
const REVIEW_MS = 10_000;
/** Projected tokens have about 1,000 characters. */
const MAX_TOKEN_CHARACTERS = 16_384;

const USERNAME = /^system:serviceaccount:([^:]+):[^:]+$/;

const answer = z.looseObject({
  authenticated: z.boolean().default(false),
  audiences: z.array(z.string()).default([]),
  user: z.looseObject({ username: z.string().default('') }).default({ username: '' }),
});

/** Reviews tokens for the audience of the snapshot service; refusals are remembered like everything else. */
export function createTokens({ client, clock }: TokensOptions): Tokens {
  const known = new Map<string, { readonly untilMs: number; readonly caller: Caller | undefined }>();
  const remember = (digest: string, caller: Caller | undefined): void => {
    const [oldest] = known.keys();
    if (known.size >= MAX_REMEMBERED && oldest !== undefined) known.delete(oldest);
    known.set(digest, { untilMs: clock.monotonicMs() + REMEMBERED_MS, caller });
  };
  return {
    callerOf: async (token, signal) => {
      if (token.length > MAX_TOKEN_CHARACTERS) return undefined;
      const digest = createHash('sha256').update(token).digest('base64');
      const entry = known.get(digest);
      if (entry !== undefined && entry.untilMs > clock.monotonicMs()) return entry.caller;
      known.delete(digest);
      const review: TokenReview = {
        apiVersion: apiVersionOf(TOKEN_REVIEWS),
        kind: TOKEN_REVIEWS.kind,
        metadata: { name: '' },
        spec: { token, audiences: [SNAPSHOT_AUDIENCE] },
      };
      const { status } = await client.create(TOKEN_REVIEWS, review, { signal, timeoutMs: REVIEW_MS });
      const caller = toCaller(status);
      remember(digest, caller);
      return caller;
    },
  };
}

function toCaller(status: unknown): Caller | undefined {
  const parsed = answer.safeParse(status);
  if (!parsed.success) return undefined;
  const { authenticated, audiences, user } = parsed.data;
  // An API server that knows no audiences says nothing about them; then the token may have been meant for anybody.
  if (!authenticated || !audiences.includes(SNAPSHOT_AUDIENCE)) return undefined;
  const [, namespace] = USERNAME.exec(user.username) ?? [];
  return namespace === undefined ? undefined : { namespace };
}
