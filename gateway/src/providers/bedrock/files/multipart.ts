/** A multipart upload: one part in memory at a time. Source: Amazon S3, "Uploading and copying objects using multipart upload". */

import { AppError, memoryExhausted } from '../../../errors/index.ts';
import { percentEncoded } from '../../../lib/percent-encode.ts';
import { PART_BYTES, type Part, partsOf, textOf } from '../../clouds/objects/index.ts';
import { type Call, type ProcedureTools, ProviderRefusal } from '../../contract.ts';
import { invalidResponse } from '../../engine/index.ts';
import { askS3, askS3Detached, codeOf, readable, tagIn } from './store.ts';

/** Of S3. */
const MAX_PARTS = 10_000;
const TRIES = 3;

export interface ObjectUpload {
  readonly url: string;
  /** Of the request that begins it: encryption. */
  readonly headers: Readonly<Record<string, string>>;
  readonly content: AsyncIterable<Buffer>;
  /** An object of this name is left as it is, and refused with this parameter. */
  readonly keepsOther?: string | undefined;
}

/** Resolves with the number of bytes. Aborted on any error, so that nothing of it is kept or billed. */
export async function uploadParts(upload: ObjectUpload, call: Call, tools: ProcedureTools): Promise<number> {
  if (!tools.memory.take(PART_BYTES)) throw memoryExhausted();
  try {
    const parts = partsOf(upload.content);
    const first = await parts.next(); // what begins badly begins no upload
    if (first.done === true) throw new AppError('PARAMETER_INVALID', { param: 'file', detail: 'file is empty' });
    const id = await begin(upload, call, tools);
    const query = `uploadId=${percentEncoded(id)}`;
    try {
      return await sendAll({ upload, query, first: first.value.bytes, parts }, call, tools);
    } catch (error) {
      await abort(`${upload.url}?${query}`, call, tools);
      throw error;
    }
  } finally {
    tools.memory.give(PART_BYTES);
  }
}

async function begin({ url, headers }: ObjectUpload, call: Call, tools: ProcedureTools): Promise<string> {
  const answer = await askS3Detached(call, tools, { method: 'POST', url: `${url}?uploads=`, headers });
  const id = tagIn(answer.bytes.toString(), 'UploadId');
  if (id !== undefined && id !== '') return id;
  throw invalidResponse(call, 'no id for an upload');
}

interface Begun {
  readonly upload: ObjectUpload;
  readonly query: string;
  readonly first: Buffer;
  readonly parts: AsyncGenerator<Part>;
}

async function sendAll({ upload, query, first, parts }: Begun, call: Call, tools: ProcedureTools): Promise<number> {
  const tags: string[] = [];
  let bytes = 0;
  const send = async (body: Buffer): Promise<void> => {
    if (tags.length === MAX_PARTS) {
      throw new AppError('PARAMETER_INVALID', { param: 'file', detail: `file has more than ${bytes} bytes` });
    }
    const url = `${upload.url}?partNumber=${tags.length + 1}&${query}`;
    const { headers } = await askS3(tools, { method: 'PUT', url, body, tries: TRIES });
    const tag = textOf(headers['etag']);
    if (tag === undefined) throw invalidResponse(call, 'a part has no tag');
    tags.push(tag);
    bytes += body.length;
  };
  await send(first);
  for await (const { bytes: part } of parts) await send(part);
  await complete({ upload, query, tags }, tools);
  return bytes;
}

interface Sent {
  readonly upload: ObjectUpload;
  readonly query: string;
  readonly tags: readonly string[];
}

async function complete({ upload, query, tags }: Sent, tools: ProcedureTools): Promise<void> {
  const { url, keepsOther } = upload;
  const listed = tags.map((tag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${toXml(tag)}</ETag></Part>`);
  const body = Buffer.from(`<CompleteMultipartUpload>${listed.join('')}</CompleteMultipartUpload>`);
  const headers = { 'content-type': 'application/xml', ...(keepsOther === undefined ? {} : { 'if-none-match': '*' }) };
  try {
    const answer = await askS3(tools, { method: 'POST', url: `${url}?${query}`, headers, body });
    // An error after the first byte comes with the status of success.
    if (tagIn(answer.bytes.toString(), 'Code') !== undefined)
      throw readable(new ProviderRefusal({ ...answer, status: 502 }));
  } catch (error) {
    if (keepsOther === undefined || !isTaken(error)) throw error;
    throw new AppError('PARAMETER_INVALID', { param: keepsOther, detail: `${keepsOther} names an object that exists` });
  }
}

const isTaken = (error: unknown): boolean =>
  error instanceof ProviderRefusal && (error.answer.status === 412 || codeOf(error) === 'PreconditionFailed');

/** Why the upload failed is what the client has to learn. */
async function abort(url: string, call: Call, tools: ProcedureTools): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const isGone = await askS3Detached(call, tools, { method: 'DELETE', url }).then(
      () => true,
      (error: unknown) => error instanceof ProviderRefusal && error.answer.status === 404,
    );
    if (isGone) return;
  }
}

const toXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
