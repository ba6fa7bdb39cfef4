/** The header block of one part of a form; RFC 7578 section 4. */
import { AppError } from '../../errors/index.ts';

export interface PartHead {
  readonly name: string;
  /** Undefined: the part is a field. */
  readonly filename: string | undefined;
  readonly contentType: string | undefined;
  /** The header lines as they came, each with its line end. */
  readonly lines: Buffer;
}

/** Longest name that an error repeats, in characters. */
const MAX_SHOWN_NAME = 64;
const LINE = /^([\w!#$%&'*+.^`|~-]+):(.*)$/;
const DISPOSITION = /^form-data[ \t]*(?=;|$)/i;
const PARAMETER = /^;[ \t]*([\w!#$%&'+.^`|~-]+\*?)=(?:"([^"]*)"|([^\s;"]+))[ \t]*/;
const PARAMETERS: ReadonlySet<string> = new Set(['name', 'filename', 'filename*']);
/** Encodings that leave the bytes as they are; the others are deprecated, and not every reader knows them. */
const IDENTITY: ReadonlySet<string> = new Set(['7bit', '8bit', 'binary']);
const CONTROL = /[^\P{Cc}\t]/u;

/** What an error calls a part: its name, or its number while the name is not known. */
export const labelOf = (name: string | undefined, number: number): string =>
  name === undefined ? `part ${number}` : name.slice(0, MAX_SHOWN_NAME);

/** Throws AppError BODY_NOT_FORM. `lines`: without the empty line; `number`: counts from 1. */
export function parsePartHead(lines: Buffer, number: number): PartHead {
  const headers = headersOf(lines.toString('utf8'), number);
  const encoding = headers.get('content-transfer-encoding');
  if (encoding !== undefined && !IDENTITY.has(encoding.toLowerCase())) {
    throw malformed(labelOf(undefined, number), 'has a content-transfer-encoding');
  }
  const parameters = parametersOf(headers.get('content-disposition') ?? '', number);
  const name = parameters.get('name');
  if (name === undefined || name === '' || name.includes('\ufffd')) {
    throw malformed(labelOf(undefined, number), 'has no name in its content-disposition');
  }
  const filename = parameters.get('filename') ?? parameters.get('filename*');
  return { name, filename, contentType: headers.get('content-type'), lines };
}

function headersOf(text: string, number: number): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const line of text.split('\r\n').slice(0, -1)) {
    const [, name = '', value = ''] = LINE.exec(line) ?? [];
    if (name === '' || CONTROL.test(value)) throw malformed(labelOf(undefined, number), 'has a malformed header');
    if (headers.has(name.toLowerCase())) throw malformed(labelOf(undefined, number), 'repeats a header');
    headers.set(name.toLowerCase(), value.trim());
  }
  return headers;
}

function parametersOf(disposition: string, number: number): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  let rest = disposition.replace(DISPOSITION, '');
  if (rest === disposition) throw malformed(labelOf(undefined, number), 'is not form-data');
  while (rest !== '') {
    const [whole = '', name = '', quoted, plain] = PARAMETER.exec(rest) ?? [];
    const value = quoted ?? plain ?? '';
    const key = name.toLowerCase();
    // Some readers take a backslash before a quote as an escape, others as the last character of the text.
    if (!PARAMETERS.has(key) || parameters.has(key) || value.endsWith('\\')) {
      throw malformed(labelOf(undefined, number), 'has a malformed content-disposition');
    }
    parameters.set(key, value);
    rest = rest.slice(whole.length);
  }
  return parameters;
}

/** The error for a form that is not well-formed; `label`: of the part. */
export const malformed = (label: string, problem: string): AppError =>
  new AppError('BODY_NOT_FORM', { param: label, detail: `The form is malformed: ${label} ${problem}` });
