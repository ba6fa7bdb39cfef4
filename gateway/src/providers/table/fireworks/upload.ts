/** An upload: a data set, the bytes at a signed address that names their number, and the end. Source: Fireworks API, "Upload dataset". */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { AppError } from '../../../errors/index.ts';
import { FORM_LIMITS, readParts } from '../../../wire/form/index.ts';
import { objectAt, textAt } from '../../../wire/json/json.ts';
import { toFileObject } from '../../../wire/openai/index.ts';
import type { Call, Procedure, ProcedureTools, Upload } from '../../contract.ts';
import { invalidResponse } from '../../engine/index.ts';
import { accountName, askJson } from './account.ts';
import { FILE_PURPOSE } from './files.ts';

/** The header of the catalogue that says the number of bytes. */
const LENGTH_FIELD = 'fireworks_file_length';
const LENGTH_HEADER = 'x-gw-file-upload-size';
/** Units: characters. */
const MAX_FILENAME = 255;

type Form = Extract<Upload, { readonly kind: 'form' }>;

interface UploadedFile {
  readonly bytes: number;
  readonly filename: string;
}

export const createFile: Procedure = {
  offer: 'mapped',
  async run(call, tools) {
    const form = formOf(call, tools.upload);
    const declared = declaredBytes(call);
    const known = declared === undefined ? await measure(form) : { bytes: declared, filename: '' };
    const id = `ft-${randomUUID()}`;
    const datasets = `${tools.baseUrl()}/${accountName(call)}/datasets`;
    await askJson(tools, call, {
      method: 'POST',
      url: datasets,
      body: { datasetId: id, dataset: { userUploaded: {} } },
    });
    try {
      const filename = await fill(
        { url: `${datasets}/${id}`, name: `${id}.jsonl`, form, bytes: known.bytes },
        call,
        tools,
      );
      const createdAt = Math.floor(call.now() / 1_000);
      const facts = { id, bytes: known.bytes, created_at: createdAt, filename: filename || `${id}.jsonl` };
      return { kind: 'json', value: toFileObject({ ...facts, purpose: FILE_PURPOSE, status: 'processed' }) };
    } catch (error) {
      // What is left behind is empty; why the upload failed is what the client has to learn.
      await tools.ask({ method: 'DELETE', url: `${datasets}/${id}` }).catch(() => undefined);
      throw error;
    }
  },
};

interface Target {
  /** Of the data set. */
  readonly url: string;
  readonly name: string;
  readonly form: Form;
  readonly bytes: number;
}

/** Resolves with the name of the file. */
async function fill({ url, name, form, bytes }: Target, call: Call, tools: ProcedureTools): Promise<string> {
  const endpoint = await askJson(tools, call, {
    method: 'POST',
    url: `${url}:getUploadEndpoint`,
    body: { filenameToSize: { [name]: bytes } },
  });
  const address = checkAddress(textAt(objectAt(endpoint, 'filenameToSignedUrls'), name), call, tools);
  let filename = '';
  const source = (): AsyncGenerator<Buffer> =>
    contentOf(form, {
      onFile: (given) => {
        filename = given;
      },
      bytes,
    });
  await tools.ask({
    method: 'PUT',
    url: address,
    auth: 'none',
    headers: { 'content-type': 'application/octet-stream', 'x-goog-content-length-range': `${bytes},${bytes}` },
    body: {
      bytes,
      get replayable() {
        return form.source.replayable;
      },
      open: () => Readable.from(source(), { objectMode: false }),
    },
  });
  await tools.ask({
    method: 'POST',
    url: `${url}:validateUpload`,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from('{}'),
  });
  return filename;
}

/** Files go over TLS, unless the account itself does not. Throws UPSTREAM_INVALID_RESPONSE. */
function checkAddress(address: string | undefined, call: Call, tools: ProcedureTools): string {
  const url = URL.parse(address ?? '');
  const isSafe = url?.protocol === 'https:' || url?.protocol === new URL(tools.baseUrl()).protocol;
  if (url !== null && isSafe && url.username === '') return url.href;
  throw invalidResponse(call, 'no address for the upload');
}

function formOf(call: Call, upload: Upload | undefined): Form {
  if (upload?.kind === 'form') return upload;
  throw new AppError('CONTENT_TYPE_INVALID', {
    param: 'content-type',
    detail: `Invalid content type passed; ${call.operation} takes multipart/form-data`,
  });
}

/** Undefined: the client does not say. Throws PARAMETER_INVALID. */
function declaredBytes({ fields }: Call): number | undefined {
  const text = fields.text(LENGTH_FIELD);
  if (text === undefined || text === '') return undefined;
  const bytes = Number(text);
  if (/^\d{1,15}$/.test(text) && bytes > 0) return bytes;
  throw new AppError('PARAMETER_INVALID', {
    param: LENGTH_HEADER,
    detail: `${LENGTH_HEADER} is the number of bytes of the file`,
  });
}

/** Reads the form once without sending it: the address is signed for the exact number of bytes. Throws PARAMETER_INVALID. */
async function measure(form: Form): Promise<UploadedFile> {
  let filename = '';
  let bytes = 0;
  for await (const piece of contentOf(form, {
    onFile: (given) => {
      filename = given;
    },
  })) {
    bytes += piece.length;
    if (form.source.replayable) continue;
    throw new AppError('PARAMETER_INVALID', {
      param: LENGTH_HEADER,
      detail: `The file is larger than what is kept for another try (GATEHOUSE_REPLAY_BYTES): send the number of its bytes in ${LENGTH_HEADER}`,
    });
  }
  return { bytes, filename };
}

interface ContentOptions {
  onFile(filename: string): void;
  /** What the file must have; undefined: any number. */
  readonly bytes?: number;
}

/** The bytes of the one file of a form. Throws PARAMETER_INVALID where the form is not that of an upload. */
async function* contentOf({ source, boundary }: Form, { onFile, bytes }: ContentOptions): AsyncGenerator<Buffer> {
  let purpose: string | undefined;
  let isThere = false;
  for await (const part of readParts(source.open(), boundary, FORM_LIMITS)) {
    const { name, filename = '' } = part.head;
    if (part.kind === 'field') {
      if (name === 'purpose') purpose = checkPurpose(part.value);
      continue;
    }
    if (name !== 'file') continue;
    if (isThere) throw invalid('file', 'is there more than once');
    isThere = true;
    onFile(filename.slice(0, MAX_FILENAME));
    yield* exactly(part.content, bytes);
  }
  if (!isThere) throw invalid('file', 'is missing');
  if (purpose === undefined) throw invalid('purpose', 'is missing');
}

function checkPurpose(value: Buffer): string {
  const purpose = value.toString();
  if (purpose === FILE_PURPOSE) return purpose;
  throw invalid('purpose', `must be ${FILE_PURPOSE} for files of this provider`);
}

async function* exactly(content: AsyncIterable<Buffer>, bytes: number | undefined): AsyncGenerator<Buffer> {
  let seen = 0;
  for await (const piece of content) {
    seen += piece.length;
    if (bytes !== undefined && seen > bytes) throw otherLength(bytes, 'more');
    yield piece;
  }
  if (bytes !== undefined && seen < bytes) throw otherLength(bytes, `${seen}`);
  if (seen === 0) throw invalid('file', 'is empty');
}

const otherLength = (bytes: number, seen: string): AppError =>
  new AppError('PARAMETER_INVALID', {
    param: LENGTH_HEADER,
    detail: `${LENGTH_HEADER} says ${bytes} bytes, and file has ${seen}`,
  });

const invalid = (param: string, rule: string): AppError =>
  new AppError('PARAMETER_INVALID', { param, detail: `${param} ${rule}` });
