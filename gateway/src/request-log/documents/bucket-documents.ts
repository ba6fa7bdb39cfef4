/** Documents of the request log in a bucket of S3 or a store with its API; rules of the bucket delete what is old. */
import { createHash } from 'node:crypto';
import {
  checkObjectKey,
  createS3Calls,
  type S3Ports,
  type S3Settings,
  StoreFailure,
} from '../../object-storage/index.ts';
import type { DocumentStore } from './document-store.ts';

export interface BucketOptions extends S3Settings {
  /** How the bucket encrypts objects; undefined: as it does by itself. */
  readonly encryption?: 'AES256' | 'aws:kms' | undefined;
  readonly kmsKeyId?: string | undefined;
  /** Objects cannot be deleted before their time without a right of its own. */
  readonly isLocked: boolean;
}

/** What a store says of one object: it is malformed, too large, or breaks a rule. */
const REFUSALS: ReadonlySet<number> = new Set([400, 411, 412, 413, 414, 422, 431]);

/** Throws an Error for an endpoint that is no URL. */
export function createBucketDocuments(options: BucketOptions, ports: S3Ports): DocumentStore {
  const { encryption, kmsKeyId, isLocked } = options;
  const calls = createS3Calls(options, ports);
  const fixed = {
    'content-type': 'application/json',
    ...(encryption === undefined ? {} : { 'x-amz-server-side-encryption': encryption }),
    ...(kmsKeyId === undefined ? {} : { 'x-amz-server-side-encryption-aws-kms-key-id': kmsKeyId }),
  };
  return {
    name: 'bucket',
    put: async (key, body, { signal, keptUntilMs }) => {
      checkObjectKey(key);
      const lock = isLocked && keptUntilMs !== undefined ? lockHeaders(body, keptUntilMs) : {};
      await calls.text({ method: 'PUT', key, body, signal, headers: { ...fixed, ...lock } }, 1);
    },
    isRefusal: (error) => error instanceof StoreFailure && error.status !== undefined && REFUSALS.has(error.status),
    dropBefore: async () => undefined,
    close: calls.close,
  };
}

/** S3 takes objects with a lock only with a checksum. */
const lockHeaders = (body: Buffer, untilMs: number): Readonly<Record<string, string>> => ({
  'x-amz-object-lock-mode': 'GOVERNANCE',
  'x-amz-object-lock-retain-until-date': new Date(untilMs).toISOString(),
  'content-md5': createHash('md5').update(body).digest('base64'),
});
