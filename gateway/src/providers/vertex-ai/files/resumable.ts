/** A resumable upload: one part in memory at a time. Source: Cloud Storage, "Perform resumable uploads". */

import { AppError, memoryExhausted } from '../../../errors/index.ts';
import { askDetached, type ObjectPlace, PART_BYTES, type Part, partsOf, textOf } from '../../clouds/objects/index.ts';
import { type Call, type ProcedureTools, ProviderRefusal } from '../../contract.ts';
import { invalidResponse } from '../../engine/index.ts';
import { gcsAuth, uploadUrl } from './store.ts';

const TRIES = 3;
/** So far: the rest is expected. */
const INCOMPLETE = 308;
/** What a session that has been ended is answered with. */
const ENDED: readonly number[] = [404, 410, 499];

export interface ObjectUpload {
  readonly place: ObjectPlace;
  readonly content: AsyncIterable<Buffer>;
  /** An object of this name is left as it is, and refused with this parameter. */
  readonly keepsOther?: string | undefined;
}

/** Resolves with the number of bytes. Ended on any error, so that nothing of it is kept. */
export async function uploadResumable(upload: ObjectUpload, call: Call, tools: ProcedureTools): Promise<number> {
  if (!tools.memory.take(PART_BYTES)) throw memoryExhausted();
  try {
    const parts = partsOf(upload.content);
    const first = await parts.next(); // what begins badly begins no upload
    if (first.done === true) throw new AppError('PARAMETER_INVALID', { param: 'file', detail: 'file is empty' });
    const session = await begin(upload, call, tools);
    try {
      let bytes = await send({ session, part: first.value, from: 0 }, call, tools);
      for await (const part of parts) bytes = await send({ session, part, from: bytes }, call, tools);
      return bytes;
    } catch (error) {
      await end(session, call, tools);
      throw taken(error, upload);
    }
  } finally {
    tools.memory.give(PART_BYTES);
  }
}

/** Below the base URL of the account, whatever host the session names: the credential goes nowhere else. */
async function begin({ place, keepsOther }: ObjectUpload, call: Call, tools: ProcedureTools): Promise<string> {
  const own = uploadUrl(call, place);
  const url = keepsOther === undefined ? own : `${own}&ifGenerationMatch=0`;
  try {
    const { headers } = await askDetached({ auth: gcsAuth, call, tools }, { method: 'POST', url });
    const id = URL.parse(textOf(headers['location']) ?? '', own)?.searchParams.get('upload_id');
    if (id !== null && id !== undefined && id !== '') return `${own}&upload_id=${encodeURIComponent(id)}`;
  } catch (error) {
    throw taken(error, { keepsOther });
  }
  throw invalidResponse(call, 'no id for an upload');
}

interface Sending {
  readonly session: string;
  readonly part: Part;
  /** Of the first byte of the part. */
  readonly from: number;
}

/** Resolves with the number of bytes so far. What the store has not kept of a part is sent again. */
async function send({ session, part, from }: Sending, call: Call, tools: ProcedureTools): Promise<number> {
  const end = from + part.bytes.length;
  let kept = from;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const body = part.bytes.subarray(kept - from);
    const range = kept === end ? '*' : `${kept}-${end - 1}`; // all is there, and the end was not heard of
    const { status, headers } = await tools.ask({
      method: 'PUT',
      url: session,
      auth: gcsAuth,
      headers: { 'content-range': `bytes ${range}/${part.isLast ? end : '*'}` },
      body,
      tries: TRIES,
      accepts: [INCOMPLETE],
    });
    if (status !== INCOMPLETE) return checkEnd(part, end, call);
    kept = keptIn(textOf(headers['range']), { from: kept, end }, call);
    if (kept === end && !part.isLast) return end;
  }
  throw invalidResponse(call, 'an upload does not go on');
}

function checkEnd({ isLast }: Part, end: number, call: Call): number {
  if (isLast) return end;
  throw invalidResponse(call, 'an upload ended early');
}

/** Absent: nothing of the upload. */
function keptIn(
  range: string | undefined,
  { from, end }: { readonly from: number; readonly end: number },
  call: Call,
): number {
  const last = /^bytes=0-(\d{1,15})$/.exec(range ?? '')?.[1];
  const kept = last === undefined ? 0 : Number(last) + 1;
  if (kept >= from && kept <= end) return kept;
  throw invalidResponse(call, 'an upload has lost bytes');
}

/** Why the upload failed is what the client has to learn. */
async function end(url: string, call: Call, tools: ProcedureTools): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const isEnded = await askDetached({ auth: gcsAuth, call, tools }, { method: 'DELETE', url }).then(
      () => true,
      (error: unknown) => error instanceof ProviderRefusal && ENDED.includes(error.answer.status),
    );
    if (isEnded) return;
  }
}

function taken(error: unknown, { keepsOther }: Pick<ObjectUpload, 'keepsOther'>): unknown {
  if (keepsOther === undefined || !(error instanceof ProviderRefusal) || error.answer.status !== 412) return error;
  return new AppError('PARAMETER_INVALID', { param: keepsOther, detail: `${keepsOther} names an object that exists` });
}
