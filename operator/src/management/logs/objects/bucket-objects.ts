/** Documents in a bucket of S3 or a store with its API. */
import { createHash } from 'node:crypto';
import { type AwsRole, ok, type Result } from '@gatehouse/crds';
import type { LogBucket } from '@gatehouse/crds/logs';
import { SignatureV4 } from '@smithy/signature-v4';
import { createHttp, type Http, type HttpAnswer } from '../../../guarded-http/index.ts';
import { Sha256 } from '../../../signing/index.ts';
import { type LogObjects, LogObjectsAway } from '../documents.ts';
import { isObjectKey } from './object-key.ts';

export interface BucketCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export type BucketKeys = Pick<BucketCredentials, 'accessKeyId' | 'secretAccessKey'>;

export interface LogBucketPorts {
  /** Finds credentials for calls of a bucket; an error says in a word why there are none. */
  openIdentity(place: IdentityPlace): () => Promise<Result<BucketCredentials, string>>;
  /** Unix time in ms. */
  now(): number;
  /** Certificate authorities of the store as PEM; absent: those of Node. */
  readonly ca?: string | undefined;
}

export interface IdentityPlace {
  readonly http: Http;
  /** Undefined: the identity of the process. */
  readonly keys: BucketKeys | undefined;
  /** Undefined: none is assumed. */
  readonly role: AwsRole | undefined;
  readonly region: string;
}

const TIMEOUT_MS = 15_000;
/** Larger ones are not written: bodies of a log have at most 16 MiB each. */
const MAX_BYTES = 256 * 1024 * 1024;
/** SHA-256 of nothing. */
const EMPTY = createHash('sha256').digest('hex');

export interface BucketPlace extends LogBucket {
  readonly keys: BucketKeys | undefined;
}

export function createBucketObjects(bucket: BucketPlace, { openIdentity, now, ca }: LogBucketPorts): LogObjects {
  const http = createHttp({ ownNamespaces: [], timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
  const { origin, base } = placeOf(bucket);
  const { region, keys, role } = bucket;
  const findCredentials =
    keys !== undefined && role === undefined ? async () => ok(keys) : openIdentity({ http, region, keys, role });
  const ask = async (path: string): Promise<HttpAnswer> => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const found = await findCredentials();
    if (!found.ok) throw away(`there is no identity for it: ${found.error}`);
    const headers = await signed({ host: new URL(origin).host, path, region }, found.value, now());
    // The address is the deployment's own: nothing in a call chooses it.
    const answer = await http(
      { method: 'GET', url: origin + path, headers, reach: 'machine', caCertificate: ca },
      signal,
    );
    if (!answer.ok) throw away(answer.error);
    return answer.value;
  };
  return {
    get: async (key) => {
      if (!isObjectKey(key)) return undefined;
      const { status, text } = await ask(`${base}/${key}`);
      if (status === 200) return text;
      const code = /<Code>(\w{1,64})<\/Code>/.exec(text)?.[1] ?? '';
      if (status === 404 && code !== 'NoSuchBucket') return undefined;
      throw away(`it answered ${status} ${code}`.trim());
    },
  };
}

const away = (why: string): LogObjectsAway =>
  new LogObjectsAway(`The store of documents of logs cannot be read: ${why}`);

function placeOf({ bucket, region, endpoint, forcePathStyle }: LogBucket) {
  const url = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  const path = url.pathname.replace(/\/$/, '');
  if (forcePathStyle) return { origin: url.origin, base: `${path}/${bucket}` };
  return { origin: `${url.protocol}//${bucket}.${url.host}`, base: path };
}

interface Place {
  readonly host: string;
  readonly path: string;
  readonly region: string;
}

async function signed({ host, path, region }: Place, credentials: BucketCredentials, nowMs: number) {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const signer = new SignatureV4({
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
    ...{ region, service: 's3', sha256: Sha256, uriEscapePath: false, applyChecksum: true },
  });
  const { headers } = await signer.sign(
    {
      ...{ method: 'GET', protocol: '', hostname: host, path, query: {} },
      headers: { host, 'x-amz-content-sha256': EMPTY },
    },
    { signingDate: new Date(nowMs) },
  );
  const { host: _, ...rest } = headers;
  return rest;
}
