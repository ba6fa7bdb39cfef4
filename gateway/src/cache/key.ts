import { createHash } from 'node:crypto';

/** Everything an answer depends on. */
export interface CacheKeyParts {
  readonly organisation: string;
  readonly workspace: string;
  /** The provider's URL. */
  readonly url: string;
  /** The body as the provider gets it. */
  readonly body: Buffer;
  /** Identity of the target: its account, settings and their owner. */
  readonly target: string;
  /** Whether the answer has only fields of the OpenAI format. */
  readonly strict: boolean;
  /** What guardrails do to the answer; absent: nothing. */
  readonly guardrails?: string;
  /** Headers of the call that were forwarded or that hooks have read, by lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  /** The text of `x-gw-cache-namespace`; replaces the metadata. */
  readonly namespace: string | undefined;
  /** The text of `x-gw-metadata`. */
  readonly metadata: string | undefined;
}

/** `OUTPUT_` and the hex SHA-256 of all parts, each after its length, so that different parts never concatenate alike. */
export function cacheKey(parts: CacheKeyParts): string {
  const { organisation, workspace, url, body, target, strict, guardrails, headers, namespace, metadata } = parts;
  const partition = namespace === undefined ? ['metadata', metadata] : ['namespace', namespace];
  const checked = guardrails === undefined ? [] : ['guardrails', guardrails];
  const sent = [...headers].toSorted(([a], [b]) => (a < b ? -1 : 1)).flat();
  const hash = createHash('sha256');
  for (const part of [organisation, workspace, url, body, target, String(strict), ...checked, ...partition, ...sent]) {
    hash.update(part === undefined ? '-;' : `${Buffer.byteLength(part)};`);
    if (part !== undefined) hash.update(part);
  }
  return `OUTPUT_${hash.digest('hex')}`;
}
