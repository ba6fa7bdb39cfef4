import { createHash } from 'node:crypto';

/** Everything an answer depends on; behaviour-cache 6.3, with the workspace (gateway-behaviour, defect 9). */
export interface CacheKeyParts {
  readonly organisation: string;
  readonly workspace: string;
  /** The provider's URL. */
  readonly url: string;
  /** The body as the provider gets it. */
  readonly body: Buffer;
  /** The text of `x-gw-cache-namespace`; replaces the metadata. */
  readonly namespace: string | undefined;
  /** The text of `x-gw-metadata`. */
  readonly metadata: string | undefined;
}

/** `OUTPUT_` and the hex SHA-256 of all parts, each behind its length so that no two sets of parts read the same. */
export function cacheKey({ organisation, workspace, url, body, namespace, metadata }: CacheKeyParts): string {
  const partition = namespace === undefined ? ['metadata', metadata] : ['namespace', namespace];
  const hash = createHash('sha256');
  for (const part of [organisation, workspace, url, body, ...partition]) {
    hash.update(part === undefined ? '-;' : `${Buffer.byteLength(part)};`);
    if (part !== undefined) hash.update(part);
  }
  return `OUTPUT_${hash.digest('hex')}`;
}
