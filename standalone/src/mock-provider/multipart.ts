import { err, ok, type Result } from '@gatehouse/crds';
import { toMimeType } from './mime-type.ts';

const MAX_PARTS = 1_000;
const HEADER_END = Buffer.from('\r\n\r\n');
const LINE_END = Buffer.from('\r\n');

export interface FilePart {
  readonly name: string;
  readonly filename: string;
  /** `application/octet-stream` when the part names none, or none that a header can carry. */
  readonly contentType: string;
  readonly bytes: Buffer;
}

export interface Form {
  readonly fields: ReadonlyMap<string, string>;
  readonly files: readonly FilePart[];
}

/** Parses a multipart/form-data body (RFC 7578). Errors: a sentence about what is malformed. */
export function parseMultipart(contentType: string, body: Buffer): Result<Form, string> {
  const boundary = /^multipart\/form-data\b.*;\s*boundary=(?:"([^"]{1,70})"|([^\s;]{1,70}))/i.exec(contentType);
  if (boundary === null) return err('expected Content-Type multipart/form-data with a boundary');
  const delimiter = Buffer.from(`--${boundary[1] ?? boundary[2]}`);
  const fields = new Map<string, string>();
  const files: FilePart[] = [];
  let at = body.indexOf(delimiter);
  for (let parts = 0; parts < MAX_PARTS && at >= 0; parts += 1) {
    const start = at + delimiter.length;
    if (body.toString('latin1', start, start + 2) === '--') return ok({ fields, files });
    const end = body.indexOf(Buffer.concat([LINE_END, delimiter]), start);
    const read = end < 0 ? undefined : readPart(body.subarray(start + LINE_END.length, end));
    if (read === undefined) return err('a part of the form is not well-formed');
    if ('filename' in read) files.push(read);
    else fields.set(read.name, read.text);
    at = end + LINE_END.length;
  }
  return err('the form has no closing boundary or too many parts');
}

function readPart(part: Buffer): FilePart | { name: string; text: string } | undefined {
  const headerEnd = part.indexOf(HEADER_END);
  if (headerEnd < 0) return undefined;
  const headers = part.toString('utf8', 0, headerEnd);
  const disposition = /^content-disposition:\s*form-data\s*;(.*)$/im.exec(headers)?.[1];
  const name = readParameter(disposition, 'name');
  if (name === undefined) return undefined;
  const bytes = part.subarray(headerEnd + HEADER_END.length);
  const filename = readParameter(disposition, 'filename');
  if (filename === undefined) return { name, text: bytes.toString() };
  const contentType = /^content-type:(.*)$/im.exec(headers)?.[1] ?? '';
  return { name, filename, contentType: toMimeType(contentType.trim()), bytes };
}

function readParameter(disposition: string | undefined, name: 'name' | 'filename'): string | undefined {
  return new RegExp(`(?:^|;)\\s*${name}="([^"]*)"`, 'i').exec(disposition ?? '')?.[1];
}
