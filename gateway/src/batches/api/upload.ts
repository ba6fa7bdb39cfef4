/** The form of an upload, read while it arrives; its fields may come in any order. */
import { AppError } from '../../errors/index.ts';
import type { Upload } from '../../wire/contract.ts';
import { FORM_LIMITS, type FormPart, readParts } from '../../wire/form/index.ts';
import { invalid } from './answers.ts';

export interface UploadedFile {
  readonly filename: string;
  readonly bytes: number;
  /** How long it is to be kept, in ms; undefined: the client does not say. */
  readonly lifetimeMs: number | undefined;
}

interface UploadOptions {
  readonly maxBytes: number;
  /** Resolves with the number of bytes. */
  store(content: AsyncIterable<Buffer>): Promise<number>;
}

const FIELDS = ['purpose', 'expires_after[anchor]', 'expires_after[seconds]'];
const MAX_FIELD_BYTES = 1_024;
const MAX_FILENAME = 255;
/** Of a form beside its file. */
const FORM_BYTES = 64 * 1024;

/** Throws the AppError of the first rule that the form breaks; then what was stored is to be removed. */
export async function readUpload(
  body: Extract<Upload, { readonly kind: 'form' }>,
  { maxBytes, store }: UploadOptions,
): Promise<UploadedFile> {
  const fields = new Map<string, string>();
  let file: Pick<UploadedFile, 'filename' | 'bytes'> | undefined;
  const limits = { ...FORM_LIMITS, fieldBytes: MAX_FIELD_BYTES, totalBytes: maxBytes + FORM_BYTES };
  for await (const part of readParts(body.source.open(), body.boundary, limits)) {
    const { name, filename = '' } = part.head;
    checkPart(part, file === undefined ? fields : new Map([...fields, ['file', '']]));
    if (part.kind === 'field') {
      fields.set(name, part.value.toString());
      continue;
    }
    checkPurpose(fields.get('purpose'));
    file = { filename: filename.slice(0, MAX_FILENAME), bytes: await store(bounded(part.content, maxBytes)) };
  }
  if (file === undefined) throw invalid('file', 'is missing');
  if (!fields.has('purpose')) throw invalid('purpose', 'is missing');
  checkPurpose(fields.get('purpose'));
  return { ...file, lifetimeMs: lifetimeOf(fields) };
}

/** Throws PARAMETER_INVALID. */
function checkPart(
  { kind, head: { name } }: Pick<FormPart, 'kind' | 'head'>,
  known: ReadonlyMap<string, string>,
): void {
  const isKnown = kind === 'file' ? name === 'file' : FIELDS.includes(name);
  if (!isKnown) throw invalid(name.slice(0, 64), unknownField(name));
  if (known.has(name)) throw invalid(name, 'is there more than once');
}

const unknownField = (name: string): string =>
  name === 'file' ? 'must be a file, with a filename' : `is no field of this form; it has file, ${FIELDS.join(', ')}`;

function checkPurpose(purpose: string | undefined): void {
  if (purpose === undefined || purpose === 'batch') return;
  throw invalid(
    'purpose',
    'must be batch for a file of the gateway itself; for another purpose name a provider (x-gw-provider)',
  );
}

async function* bounded(content: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of content) {
    bytes += piece.length;
    if (bytes > maxBytes) {
      throw new AppError('BODY_TOO_LARGE', {
        param: 'file',
        detail: `file has more than ${maxBytes} bytes (GATEHOUSE_BATCH_MAX_FILE_BYTES)`,
      });
    }
    yield piece;
  }
}

function lifetimeOf(fields: ReadonlyMap<string, string>): number | undefined {
  const anchor = fields.get('expires_after[anchor]');
  const seconds = fields.get('expires_after[seconds]');
  if (anchor === undefined && seconds === undefined) return undefined;
  if (anchor !== 'created_at') throw invalid('expires_after[anchor]', 'must be created_at');
  return lifetimeMsOf(Number(seconds), 'expires_after[seconds]');
}

const MIN_SECONDS = 3_600;
const MAX_SECONDS = 2_592_000;

/** Throws PARAMETER_INVALID. Source: OpenAI's API, `expires_after`. */
export function lifetimeMsOf(seconds: number, param: string): number {
  if (Number.isInteger(seconds) && seconds >= MIN_SECONDS && seconds <= MAX_SECONDS) return seconds * 1_000;
  throw invalid(param, `must be a number from ${MIN_SECONDS} to ${MAX_SECONDS}`);
}
