/** Signed calls to a bucket. */

import { createByteBudget } from '../lib/byte-budget.ts';
import { Cancellation, type CancelSignal } from '../lib/cancellation.ts';
import { type AwsCredentials, signRequest } from '../providers/clouds/aws/index.ts';
import type { UpstreamBody, UpstreamClient, UpstreamHeaders } from '../upstream/index.ts';
import { StoreFailure } from './object-store.ts';

export interface S3Settings {
  readonly bucket: string;
  readonly region: string;
  /** Of a store other than AWS, e.g. `http://minio:9000`. */
  readonly endpoint?: string | undefined;
  /** Put before every key. */
  readonly prefix?: string | undefined;
  /** The bucket is in the path and not in the host name. */
  readonly forcePathStyle: boolean;
}

export interface S3Ports {
  credentials(): Promise<AwsCredentials>;
  /** May reach the bucket, wherever it is. Closed with the store. */
  readonly client: UpstreamClient;
  /** Unix time in ms. */
  now(): number;
}

export interface S3Call {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly key: string;
  /** Without `?`. */
  readonly query?: string;
  readonly body?: Buffer;
  /** By lower-case name; those of S3 are signed. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: CancelSignal;
}

export interface S3Answer {
  readonly status: number;
  readonly headers: UpstreamHeaders;
  readonly body: UpstreamBody;
}

export interface S3Calls {
  /** Any status. Rejects with StoreFailure where there is no answer, or the reason of the signal. */
  call(call: S3Call): Promise<S3Answer>;
  /** The text of an answer with a good status, and its headers; rejects with StoreFailure for another one. Failures of the store are repeated. */
  text(call: S3Call, tries?: number): Promise<Pick<S3Answer, 'headers'> & { readonly text: string }>;
  close(): Promise<void>;
}

const LIMITS = { headersTimeoutMs: 60_000, idleTimeoutMs: 60_000 };
const TRIES = 3;
const RETRY_MS = 200;
/** Answers other than objects are short. */
const MAX_TEXT = 64 * 1024;

/** Throws an Error for an endpoint that is no URL. */
export function createS3Calls(settings: S3Settings, ports: S3Ports): S3Calls {
  const { origin, base } = placeOf(settings);
  const { client } = ports;
  const call = async (given: S3Call): Promise<S3Answer> => {
    const { method, key, query = '', body, signal = new Cancellation() } = given;
    try {
      const path = `${base}${key}${query === '' ? '' : `?${query}`}`;
      const length = body === undefined ? {} : { 'content-length': String(body.length) };
      const headers: Record<string, string> = { ...given.headers, ...length };
      const outgoing = { method, origin, path, headers, body };
      const credentials = await ports.credentials();
      await signRequest(outgoing, { credentials, region: settings.region, service: 's3', nowMs: ports.now() });
      return await client.send({ ...outgoing, hostOrigin: 'resource' }, { signal, limits: LIMITS });
    } catch (cause) {
      if (signal.cancelled) throw signal.reason;
      throw new StoreFailure('The bucket cannot be reached', { cause });
    }
  };
  const once = async (
    given: S3Call,
  ): Promise<Pick<S3Answer, 'headers'> & { readonly text: string; readonly status: number }> => {
    const { status, headers, body } = await call(given);
    return { status, headers, text: await readText(body) };
  };
  return {
    call,
    text: async (given, maxTries = TRIES) => {
      for (let tries = 1; ; tries += 1) {
        const answer = await once(given).catch((error: unknown) => {
          if (!(error instanceof StoreFailure) || tries >= maxTries) throw error;
          return undefined;
        });
        const isGood =
          answer !== undefined && answer.status >= 200 && answer.status <= 299 && !answer.text.includes('<Error>');
        if (isGood) return answer;
        const isFinal = answer !== undefined && answer.status < 500 && answer.status !== 429 && answer.status >= 300;
        if (tries >= maxTries || isFinal) throw refused(answer?.status ?? 0, answer?.text ?? '');
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS * tries));
      }
    },
    close: () => client.close(),
  };
}

/** Only the code of the error: its text may quote keys. */
export const refused = (status: number, text: string): StoreFailure =>
  new StoreFailure(`The bucket answered ${status} ${/<Code>(\w{1,64})<\/Code>/.exec(text)?.[1] ?? ''}`.trim(), {
    status,
  });

function placeOf({ bucket, region, endpoint, prefix = '', forcePathStyle }: S3Settings) {
  const url = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  const path = url.pathname.replace(/\/$/, '');
  const folder = prefix.split('/').map(encodeURIComponent).join('/');
  if (forcePathStyle) return { origin: url.origin, base: `${path}/${encodeURIComponent(bucket)}/${folder}` };
  return { origin: `${url.protocol}//${bucket}.${url.host}`, base: `${path}/${folder}` };
}

export async function readText(body: UpstreamBody): Promise<string> {
  try {
    return (await body.collect(MAX_TEXT, createByteBudget(MAX_TEXT).open())).toString();
  } catch (cause) {
    throw new StoreFailure('The answer of the bucket broke off', { cause });
  }
}
