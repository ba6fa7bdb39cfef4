/**
 * Identifies callers by their ServiceAccount tokens, with reviews by the API server that are cached for a short time.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { apiVersionOf, type Clock, type KindRef, type KubeClient, type KubeObject } from '../runtime/index.ts';
import { type Caller, claimedCaller, toCaller } from './claims.ts';
import { createReviewLimits } from './review-limits.ts';

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
  /** What the tokens are for. */
  readonly audience: string;
  /** Whether the account may connect; an unverified claim is enough to refuse one. */
  readonly admits: (caller: Caller) => boolean;
  readonly clock: Clock;
}

/** `busy`: there was no review, since the rate limit was reached. */
export type Identified = { readonly kind: 'caller'; readonly caller: Caller } | { readonly kind: 'nobody' | 'busy' };

export interface Tokens {
  /** Identifies the sender of a token; the signal ends with the service. Rejects with ApiError. */
  identify(token: string, source: string, signal: AbortSignal): Promise<Identified>;
}

/** A pod that reconnects needs no new review, and a deleted one is not accepted for long. */
const REMEMBERED_MS = 30_000;
/** Per result: refused tokens must not evict accepted ones. */
const MAX_REMEMBERED = 5_000;
const REVIEW_MS = 10_000;

const NOBODY: Identified = { kind: 'nobody' };
const BUSY: Identified = { kind: 'busy' };

const answer = z.looseObject({
  authenticated: z.boolean().default(false),
  audiences: z.array(z.string()).default([]),
  user: z.looseObject({ username: z.string().default('') }).default({ username: '' }),
});

/**
 * Reviews tokens for one audience, each once at a time and as many as the limits allow; refusals are
 * cached, too. A token whose own claims do not fit is refused without a review.
 */
export function createTokens({ client, audience, admits, clock }: TokensOptions): Tokens {
  const good = createMemory(clock);
  const bad = createMemory(clock);
  const asking = new Map<string, Promise<Identified>>();
  const limits = createReviewLimits(clock);
  const ask = async (token: string, digest: string, signal: AbortSignal): Promise<Identified> => {
    const review: TokenReview = {
      apiVersion: apiVersionOf(TOKEN_REVIEWS),
      kind: TOKEN_REVIEWS.kind,
      metadata: { name: '' },
      spec: { token, audiences: [audience] },
    };
    const { status } = await client.create(TOKEN_REVIEWS, review, { signal, timeoutMs: REVIEW_MS });
    const identified = toIdentified(status, audience);
    (identified.kind === 'caller' ? good : bad).put(digest, identified);
    return identified;
  };
  return {
    identify: async (token, source, signal) => {
      const claimed = claimedCaller(token, audience, clock.wallMs());
      if (claimed === undefined || !admits(claimed)) return NOBODY;
      const digest = createHash('sha256').update(token).digest('base64');
      const known = good.get(digest) ?? bad.get(digest) ?? asking.get(digest);
      if (known !== undefined) return known;
      if (!limits.take(source)) return BUSY;
      const asked = ask(token, digest, signal).finally(() => asking.delete(digest));
      asking.set(digest, asked);
      return asked;
    },
  };
}

function createMemory(clock: Clock) {
  const entries = new Map<string, { readonly untilMs: number; readonly identified: Identified }>();
  return {
    get: (digest: string): Identified | undefined => {
      const entry = entries.get(digest);
      return entry !== undefined && entry.untilMs > clock.monotonicMs() ? entry.identified : undefined;
    },
    put: (digest: string, identified: Identified): void => {
      entries.delete(digest);
      const [oldest] = entries.keys();
      if (entries.size >= MAX_REMEMBERED && oldest !== undefined) entries.delete(oldest);
      entries.set(digest, { untilMs: clock.monotonicMs() + REMEMBERED_MS, identified });
    },
  };
}

function toIdentified(status: unknown, audience: string): Identified {
  const parsed = answer.safeParse(status);
  if (!parsed.success) return NOBODY;
  const { authenticated, audiences, user } = parsed.data;
  // An API server that knows no audiences says nothing about them; then the token may have been meant for anybody.
  if (!authenticated || !audiences.includes(audience)) return NOBODY;
  const caller = toCaller(user.username);
  return caller === undefined ? NOBODY : { kind: 'caller', caller };
}
