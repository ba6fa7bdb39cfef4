/** An upload: the rows of a batch as a dataset, written anew while they arrive. Source: Cohere API v1, "Create a Dataset". */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { AppError } from '../../errors/index.ts';
import { type BatchRow, invalidRow, readRows } from '../../wire/batch-rows/index.ts';
import { EMBED_ENDPOINT, EMBED_INPUT, KEPT_FIELDS, toDatasetRow } from '../../wire/cohere/index.ts';
import { FORM_LIMITS, formType, partHead, readParts, writeForm } from '../../wire/form/index.ts';
import { textAt } from '../../wire/json/json.ts';
import { toFileObject } from '../../wire/openai/index.ts';
import type { Call, Procedure, ProcedureTools, StreamedBody, Upload } from '../contract.ts';
import { invalidResponse, jsonOfStep } from '../engine/index.ts';

const PARAM = 'file';
const PURPOSE = 'batch';
/** Length of a generated boundary, in characters. */
const BOUNDARY_CHARS = 32;

type Form = Extract<Upload, { readonly kind: 'form' }>;

export const createFile: Procedure = {
  offer: 'mapped',
  async run(call, tools) {
    const form = formOf(call, tools.upload);
    const name = `gateway-${randomUUID()}`;
    const boundary = call.newId('', BOUNDARY_CHARS);
    const written = { bytes: 0 };
    const query = new URLSearchParams({ name, type: EMBED_INPUT, keep_fields: KEPT_FIELDS.join(',') });
    const answer = await tools.ask({
      method: 'POST',
      url: `${tools.baseUrl()}/v1/datasets?${query}`,
      headers: { 'content-type': formType(boundary) },
      body: bodyOf({ form, name, boundary, written }, tools),
    });
    const id = textAt(jsonOfStep(answer, call), 'id');
    if (id === undefined || id === '') throw invalidResponse(call, 'the dataset has no id');
    const facts = { id, bytes: written.bytes, created_at: Math.floor(call.now() / 1_000), filename: name };
    return { kind: 'json', value: toFileObject({ ...facts, purpose: PURPOSE, status: 'uploaded' }) };
  },
};

function formOf(call: Call, upload: Upload | undefined): Form {
  if (upload?.kind === 'form') return upload;
  throw new AppError('CONTENT_TYPE_INVALID', {
    param: 'content-type',
    detail: `Invalid content type passed; ${call.operation} takes multipart/form-data`,
  });
}

interface Sent {
  readonly form: Form;
  readonly name: string;
  readonly boundary: string;
  /** Counts the dataset. */
  readonly written: { bytes: number };
}

function bodyOf({ form, name, boundary, written }: Sent, tools: ProcedureTools): StreamedBody {
  const head = partHead('data', { filename: `${name}.jsonl`, contentType: 'application/jsonl' });
  return {
    bytes: undefined,
    get replayable() {
      return form.source.replayable;
    },
    open: () => {
      written.bytes = 0;
      const content = counted(linesOf(form, tools), written);
      return Readable.from(writeForm([{ kind: 'file', head, content }], boundary), { objectMode: false });
    },
  };
}

async function* counted(lines: AsyncIterable<Buffer>, written: { bytes: number }): AsyncGenerator<Buffer> {
  for await (const line of lines) {
    written.bytes += line.length;
    yield line;
  }
}

/** The whole form is read before the last line is followed by an end: what is wrong with it keeps the dataset from being made. */
async function* linesOf(form: Form, { json, memory }: ProcedureTools): AsyncGenerator<Buffer> {
  let purpose: string | undefined;
  let files = 0;
  let rows = 0;
  for await (const part of readParts(form.source.open(), form.boundary, FORM_LIMITS)) {
    const { name } = part.head;
    if (part.kind === 'field') {
      if (name === 'purpose') purpose = checkPurpose(part.value);
      continue;
    }
    if (name !== PARAM) continue;
    files += 1;
    if (files > 1) throw invalid(PARAM, 'is there more than once');
    for await (const row of readRows(part.content, { param: PARAM, json, memory })) {
      rows += 1;
      yield toLine(row);
    }
  }
  if (files === 0) throw invalid(PARAM, 'is missing');
  if (rows === 0) throw invalid(PARAM, 'has no rows');
  if (purpose === undefined) throw invalid('purpose', 'is missing');
}

function checkPurpose(value: Buffer): string {
  const purpose = value.toString();
  if (purpose === PURPOSE) return purpose;
  throw invalid('purpose', `must be ${PURPOSE} for files of this provider`);
}

/** Throws PARAMETER_INVALID with the place of the row. */
function toLine({ place, customId, url = EMBED_ENDPOINT, body }: BatchRow): Buffer {
  const at = { place, param: PARAM };
  if (url !== EMBED_ENDPOINT) throw invalidRow(at, `url must be ${EMBED_ENDPOINT}`);
  const row = toDatasetRow(customId, body, randomUUID());
  if (!row.ok) throw invalidRow(at, row.error);
  return Buffer.from(`${JSON.stringify(row.value)}\n`);
}

const invalid = (param: string, rule: string): AppError =>
  new AppError('PARAMETER_INVALID', { param, detail: `${param} ${rule}` });
