/** Writes `multipart/form-data`: fields and files, the bytes of a file as they come. */
import type { PartHead } from './part-head.ts';
import type { FormPart } from './parts.ts';

const ESCAPES: Readonly<Record<string, string>> = { '"': '%22', '\r': '%0D', '\n': '%0A' };
const LINE_END = Buffer.from('\r\n');

/** The head of a part that no client sent. Source of the escapes: WHATWG HTML, multipart/form-data encoding. */
export function partHead(name: string, file?: { readonly filename: string; readonly contentType: string }): PartHead {
  const filename = file === undefined ? '' : `; filename="${escaped(file.filename)}"`;
  const type = file === undefined ? '' : `content-type: ${file.contentType}\r\n`;
  return {
    name,
    filename: file?.filename,
    contentType: file?.contentType,
    lines: Buffer.from(`content-disposition: form-data; name="${escaped(name)}"${filename}\r\n${type}`),
  };
}

/** The same part under another name. */
export function renamedHead({ filename, contentType }: PartHead, name: string): PartHead {
  const file =
    filename === undefined ? undefined : { filename, contentType: contentType ?? 'application/octet-stream' };
  return partHead(name, file);
}

/** The bytes of a form; the boundary must not occur in any part, so a random one is best. */
export async function* writeForm(
  parts: AsyncIterable<FormPart> | Iterable<FormPart>,
  boundary: string,
): AsyncGenerator<Buffer> {
  for await (const part of parts) {
    yield Buffer.concat([Buffer.from(`--${boundary}\r\n`), part.head.lines, LINE_END]);
    if (part.kind === 'field') yield part.value;
    else yield* part.content;
    yield LINE_END;
  }
  yield Buffer.from(`--${boundary}--\r\n`);
}

/** A form of fields alone; the boundary must not occur in any of them. */
export function fieldsForm(fields: Iterable<readonly [name: string, value: string]>, boundary: string): Buffer {
  const parts = Array.from(fields, ([name, value]) => [
    Buffer.concat([Buffer.from(`--${boundary}\r\n`), partHead(name).lines, LINE_END]),
    Buffer.from(value),
    LINE_END,
  ]);
  return Buffer.concat([...parts.flat(), Buffer.from(`--${boundary}--\r\n`)]);
}

/** The content type that goes with a boundary. */
export const formType = (boundary: string): string => `multipart/form-data; boundary=${boundary}`;

const escaped = (text: string): string => text.replaceAll(/["\r\n]/g, (char) => ESCAPES[char] ?? '');
