/** Objects in a bucket of S3 or a store with its API. */
import { Readable } from 'node:stream';
import type { CancelSignal } from '../lib/cancellation.ts';
import type { UpstreamBody } from '../upstream/index.ts';
import { checkObjectKey, type ObjectStore, StoreFailure } from './object-store.ts';
import { createS3Calls, readText, refused, type S3Calls, type S3Ports, type S3Settings } from './s3-calls.ts';

/** Of an upload; S3 takes 10,000 parts, and 5 MiB at least. */
const PART_BYTES = 8 * 1024 * 1024;

/** One part of an object is in memory at a time. Throws an Error for an endpoint that is no URL. */
export function createObjectBucket(settings: S3Settings, ports: S3Ports): ObjectStore {
  const calls = createS3Calls(settings, ports);
  return {
    put: async (key, source, { signal }) => {
      checkObjectKey(key);
      const parts = partsOf(source, signal);
      try {
        const first = await parts.next();
        const bytes = first.done === true ? Buffer.alloc(0) : first.value;
        if (bytes.length >= PART_BYTES) return await putParts(calls, { key, signal, first: bytes, parts });
        await calls.text({ method: 'PUT', key, body: bytes, signal });
        return bytes.length;
      } finally {
        await parts.return(undefined); // the source is not read any further
      }
    },
    get: async (key) => {
      checkObjectKey(key);
      const { status, body } = await calls.call({ method: 'GET', key });
      if (status === 200) return readableOf(body);
      const text = await readText(body);
      if (status === 404 && !text.includes('NoSuchBucket')) return undefined;
      throw refused(status, text);
    },
    delete: async (key) => {
      checkObjectKey(key);
      await calls.text({ method: 'DELETE', key });
    },
    close: calls.close,
  };
}

interface Upload {
  readonly key: string;
  readonly signal: CancelSignal;
  readonly first: Buffer;
  readonly parts: AsyncGenerator<Buffer>;
}

/** The number of bytes. Aborted on any error, so that nothing of it is kept or billed. */
async function putParts(calls: S3Calls, { key, signal, first, parts }: Upload): Promise<number> {
  const { text } = await calls.text({ method: 'POST', key, query: 'uploads=', signal });
  const id = /<UploadId>([^<]{1,1024})<\/UploadId>/.exec(text)?.[1];
  if (id === undefined) throw new StoreFailure('The bucket gave no id for an upload');
  const query = `uploadId=${encodeURIComponent(fromXml(id))}`;
  try {
    const tags: string[] = [];
    let bytes = 0;
    const send = async (part: Buffer): Promise<void> => {
      const number = tags.length + 1;
      const { headers } = await calls.text({
        method: 'PUT',
        key,
        query: `partNumber=${number}&${query}`,
        body: part,
        signal,
      });
      tags.push(`<Part><PartNumber>${number}</PartNumber><ETag>${toXml(String(headers['etag']))}</ETag></Part>`);
      bytes += part.length;
    };
    await send(first);
    for await (const part of parts) await send(part);
    const body = Buffer.from(`<CompleteMultipartUpload>${tags.join('')}</CompleteMultipartUpload>`);
    await calls.text({ method: 'POST', key, query, body, signal });
    return bytes;
  } catch (error) {
    await calls.text({ method: 'DELETE', key, query }).catch(() => undefined); // the store is what failed
    throw error;
  }
}

/** Pieces of the size of a part; the last one may be shorter. */
async function* partsOf(source: AsyncIterable<Buffer>, signal: CancelSignal): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  for await (const piece of source) {
    if (signal.cancelled) throw signal.reason;
    for (let from = 0; from < piece.length; ) {
      const taken = piece.subarray(from, from + PART_BYTES - heldBytes);
      held.push(taken);
      heldBytes += taken.length;
      from += taken.length;
      if (heldBytes < PART_BYTES) continue;
      yield Buffer.concat(held, heldBytes);
      held = [];
      heldBytes = 0;
    }
  }
  if (signal.cancelled) throw signal.reason;
  if (heldBytes > 0) yield Buffer.concat(held, heldBytes);
}

/** The bytes as they are asked for. */
function readableOf(body: UpstreamBody): Readable {
  let isPiped = false;
  const readable = new Readable({
    read: () => {
      if (isPiped) return body.resume();
      isPiped = true;
      body.pipe({
        write: (bytes) => readable.push(bytes),
        end: () => void readable.push(null),
        fail: (cause) => void readable.destroy(new StoreFailure('An object broke off', { cause })),
      });
    },
    destroy: (error, done) => {
      body.discard();
      done(error);
    },
  });
  return readable;
}

const toXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const fromXml = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
