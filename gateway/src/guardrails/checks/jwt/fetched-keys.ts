/** The key set that an issuer publishes, fetched when a token needs it and kept for as long as the check says. */
import { isObject } from '@gatehouse/crds';
import { KeySet, type SigningKey } from '../../../lib/jwt/index.ts';
import type { CheckSubject, CheckTools } from '../../contract.ts';
import { CheckFault, callService } from '../../outbound/index.ts';

export interface KeySource {
  readonly uri: string;
  readonly maxAgeMs: number;
}

export interface KeyRequest {
  readonly subject: CheckSubject;
  readonly tools: CheckTools;
}

/** Longest key set in bytes. */
const MAX_BYTES = 256 * 1024;
/** Least time between two fetches while there are keys: tokens can name any. */
const NEXT_FETCH_GAP_MS = 10_000;
/** The same as long as there are no keys. */
const FIRST_FETCH_GAP_MS = 2_000;

interface Fetching {
  readonly done: Promise<void>;
  readonly by: CheckTools['signal'];
}

/** One URL of one check. */
export class FetchedKeys {
  readonly #source: KeySource;
  #keys: KeySet | undefined;
  #fetchedMs = Number.NEGATIVE_INFINITY;
  #triedMs = Number.NEGATIVE_INFINITY;
  #failure: unknown;
  #fetching: Fetching | undefined;

  constructor(source: KeySource) {
    this.#source = source;
  }

  /**
   * The key of a token; undefined: the issuer has none. Rejects with CheckFault where there is no key set. Known keys are used
   * for one more period while the issuer is away.
   */
  async find(kid: string, alg: string, request: KeyRequest): Promise<SigningKey | undefined> {
    const now = request.tools.now();
    const { maxAgeMs } = this.#source;
    const isUsable = this.#keys !== undefined && now - this.#fetchedMs < 2 * maxAgeMs;
    // While one request fetches anew, the others use what is there.
    if (now - this.#fetchedMs >= maxAgeMs && !(isUsable && this.#fetching !== undefined)) {
      await this.#refresh(request, isUsable ? NEXT_FETCH_GAP_MS : FIRST_FETCH_GAP_MS);
    }
    if (this.#keys === undefined || now - this.#fetchedMs >= 2 * maxAgeMs) throw this.#failure;
    const known = this.#keys.find(kid, alg);
    if (known !== undefined) return known;
    await this.#refresh(request, NEXT_FETCH_GAP_MS);
    return this.#keys.find(kid, alg);
  }

  /** Waits for the fetch that is running, or starts one where the last is longer ago than the gap. */
  async #refresh(request: KeyRequest, gapMs: number): Promise<void> {
    for (;;) {
      const running = this.#fetching;
      if (running === undefined) {
        if (request.tools.now() - this.#triedMs < gapMs) return;
        this.#fetching = { done: this.#fetch(request), by: request.tools.signal };
        continue;
      }
      await running.done;
      // The request that fetched was given up; those that waited are not.
      const isGivenUp = running.by.cancelled && !request.tools.signal.cancelled;
      if (!isGivenUp || this.#failure === undefined) return;
      this.#triedMs = Number.NEGATIVE_INFINITY;
    }
  }

  /** Never rejects. */
  async #fetch({ subject, tools }: KeyRequest): Promise<void> {
    this.#triedMs = tools.now();
    try {
      const headers = { accept: 'application/jwk-set+json, application/json' };
      const { json } = await callService(
        { method: 'GET', url: this.#source.uri, headers, maxBytes: MAX_BYTES },
        { subject, tools },
      );
      const keys = isObject(json) && Array.isArray(json['keys']) ? KeySet.of(json['keys'], this.#keys) : undefined;
      if (keys === undefined || keys.size === 0) throw new CheckFault('ParseError', 'jwksUri answered without keys');
      this.#keys = keys;
      this.#fetchedMs = tools.now();
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error;
    } finally {
      this.#fetching = undefined;
    }
  }
}
