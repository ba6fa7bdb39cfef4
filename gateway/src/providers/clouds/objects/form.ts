/** The form of an upload, read once while it arrives. */
import { AppError } from '../../../errors/index.ts';
import { FORM_LIMITS, type FormPart, readParts } from '../../../wire/form/index.ts';
import type { Call, Upload } from '../../contract.ts';

export interface OpenedForm {
  readonly purpose: string;
  /** Throws at its end where more files follow. */
  readonly content: AsyncIterable<Buffer>;
}

/** Units: bytes. */
const MAX_PURPOSE = 64;

/** Reads as far as the file: its purpose has to come first. Rejects with PARAMETER_INVALID, or CONTENT_TYPE_INVALID. */
export async function openForm(call: Call, upload: Upload | undefined): Promise<OpenedForm> {
  if (upload?.kind !== 'form') {
    throw new AppError('CONTENT_TYPE_INVALID', {
      param: 'content-type',
      detail: `Invalid content type passed; ${call.operation} takes multipart/form-data`,
    });
  }
  const parts = readParts(upload.source.open(), upload.boundary, FORM_LIMITS);
  let purpose: string | undefined;
  for (let part = await parts.next(); part.done !== true; part = await parts.next()) {
    const { value } = part;
    const { name } = value.head;
    if (value.kind === 'field') {
      if (name === 'purpose') purpose = value.value.subarray(0, MAX_PURPOSE).toString();
    } else if (name === 'file') {
      if (purpose === undefined) throw invalid('purpose', 'comes before file');
      return { purpose, content: toTheEnd(value.content, parts) };
    }
  }
  throw invalid('file', 'is missing');
}

async function* toTheEnd(content: AsyncIterable<Buffer>, parts: AsyncGenerator<FormPart>): AsyncGenerator<Buffer> {
  yield* content;
  for (let part = await parts.next(); part.done !== true; part = await parts.next()) {
    if (part.value.kind === 'file' && part.value.head.name === 'file') throw invalid('file', 'is there more than once');
    if (part.value.kind === 'field' && part.value.head.name === 'purpose')
      throw invalid('purpose', 'comes before file');
  }
}

const invalid = (param: string, rule: string): AppError =>
  new AppError('PARAMETER_INVALID', { param, detail: `${param} ${rule}` });
