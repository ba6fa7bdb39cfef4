/** Bodies that are not JSON: forms with their fields shaped for the upstream, and unchanged bytes. */
import { Readable } from 'node:stream';
import { AppError } from '../../errors/index.ts';
import { numbersIn, textWith } from '../../lib/json/index.ts';
import {
  FORM_LIMITS,
  type FormPart,
  fieldsForm,
  formType,
  partHead,
  readParts,
  renamedHead,
  writeForm,
} from '../../wire/form/index.ts';
import type { BodyHook, Call, FormTable, StreamedBody, Upload } from '../contract.ts';
import { requireModel } from './fields.ts';

/** What is sent in place of a JSON body. */
export interface OutgoingUpload {
  readonly streamed: StreamedBody;
  readonly contentType: string | undefined;
}

/** Length of a generated boundary, in characters. */
const BOUNDARY_CHARS = 32;

/** The client's bytes. Throws AppError CONTENT_TYPE_INVALID where the client sent none. */
export function relayUpload(upload: Upload | undefined): OutgoingUpload {
  if (upload === undefined) throw new AppError('CONTENT_TYPE_INVALID', { param: 'content-type' });
  return { streamed: upload.source, contentType: upload.contentType };
}

/** Members as a form. Throws AppError PARAMETER_INVALID for one that no field can say. */
export function formOfMembers(members: object, call: Call): { readonly body: Buffer; readonly contentType: string } {
  const boundary = call.newId('', BOUNDARY_CHARS);
  const fields = Object.entries(members).flatMap(([name, value]: [string, unknown]): [string, string][] => {
    if (value === undefined || value === null) return [];
    if (typeof value !== 'object') return [[name, String(value)]];
    throw new AppError('PARAMETER_INVALID', {
      ...{ param: name, provider: call.provider },
      detail: `${name} must be a text, a number or a boolean for ${call.provider}`,
    });
  });
  return { body: fieldsForm(fields, boundary), contentType: formType(boundary) };
}

/** An SDP offer, in a form beside the session that it has, whose numbers are as those of the JSON text `given`. Throws AppError PARAMETER_INVALID for one that is no text. */
export function offerOf(
  hooks: readonly BodyHook[],
  call: Call,
  given: Buffer | undefined,
): { readonly body: Buffer; readonly contentType: string } {
  const { sdp, session } = hooks.reduce((params, hook) => hook(params, call), call.params);
  if (typeof sdp !== 'string') {
    throw new AppError('PARAMETER_INVALID', { param: 'sdp', detail: 'sdp must be a text', provider: call.provider });
  }
  if (session === undefined) return { body: Buffer.from(sdp), contentType: 'application/sdp' };
  const boundary = call.newId('', BOUNDARY_CHARS);
  const text = textWith(session, numbersIn(given)?.get('session')) ?? '';
  const fields = [['sdp', sdp] as const, ['session', text] as const];
  return { body: fieldsForm(fields, boundary), contentType: formType(boundary) };
}

/**
 * The client's form with its fields renamed, left out and set. Throws AppError CONTENT_TYPE_INVALID for another body, and
 * MODEL_REQUIRED.
 */
export function shapeForm(table: FormTable, call: Call, upload: Upload | undefined): OutgoingUpload {
  if (upload?.kind !== 'form') {
    throw new AppError('CONTENT_TYPE_INVALID', {
      param: 'content-type',
      detail: `Invalid content type passed; ${call.operation} takes multipart/form-data`,
    });
  }
  if (table.needsModel && upload.fields?.isWhole) requireModel(call);
  const set = new Map(Object.entries(table.set?.(call) ?? {}));
  if (table.rename === undefined && table.drop === undefined && set.size === 0) return relayUpload(upload);
  const { source, boundary: given } = upload;
  const boundary = call.newId('', BOUNDARY_CHARS);
  return {
    contentType: formType(boundary),
    streamed: {
      bytes: undefined,
      get replayable() {
        return source.replayable;
      },
      open: () => {
        const parts = readParts(source.open(), given, FORM_LIMITS);
        return Readable.from(writeForm(shapedParts(parts, table, set), boundary), { objectMode: false });
      },
    },
  };
}

async function* shapedParts(
  parts: AsyncIterable<FormPart>,
  { rename = {}, drop = [] }: FormTable,
  set: ReadonlyMap<string, string>,
): AsyncGenerator<FormPart> {
  for (const [name, value] of set) yield { kind: 'field', head: partHead(name), value: Buffer.from(value) };
  for await (const part of parts) {
    const { name } = part.head;
    if (set.has(name) || drop.includes(name)) continue;
    const other = Object.hasOwn(rename, name) ? rename[name] : undefined;
    yield other === undefined ? part : { ...part, head: renamedHead(part.head, other) };
  }
}
