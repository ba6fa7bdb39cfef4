/** Files that a request names by URL, fetched for an upstream that takes bytes only. */
import { err, ok, type Result } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import type { InlineMedia } from '../../wire/bedrock/index.ts';
import { mimeTypeOfUrl } from '../../wire/openai/index.ts';
import type { AuthorizerContext } from '../contract.ts';

/** The upstream takes at most 20 images per request, each up to 3.75 MB, and documents up to 4.5 MB. */
const MAX_FILES = 20;
const MAX_FILE_BYTES = 5 * 1024 * 1024;

export type RemoteMedia = ReadonlyMap<string, InlineMedia>;

/** The files by their URL. Errors: `PARAMETER_INVALID` when there are too many or one cannot be fetched. */
export async function fetchRemoteMedia(
  urls: readonly string[],
  context: AuthorizerContext,
): Promise<Result<RemoteMedia, AppError>> {
  if (urls.length > MAX_FILES) return err(invalid(`at most ${MAX_FILES} files can be named by URL`));
  const files = await Promise.all(urls.map((url) => fetchFile(url, context)));
  const failed = files.find((file) => !file.ok);
  if (failed !== undefined && !failed.ok) return failed;
  return ok(new Map(files.flatMap((file, i) => (file.ok ? [[urls[i] ?? '', file.value] as const] : []))));
}

async function fetchFile(url: string, { services, signal }: AuthorizerContext): Promise<Result<InlineMedia, AppError>> {
  const host = URL.parse(url)?.host ?? 'an invalid URL';
  try {
    const answer = await services.fetch({ method: 'GET', url, maxBytes: MAX_FILE_BYTES }, { signal });
    if (answer.status !== 200) return err(invalid(`${host} answered ${answer.status} to the request for a file`));
    return ok({ mimeType: mimeTypeOf(url, answer.headers['content-type']), data: answer.body.toString('base64') });
  } catch (cause) {
    if (signal.cancelled) throw cause;
    return err(invalid(`a file could not be fetched from ${host}`, cause));
  }
}

/** The server's content type, unless it is a generic one. */
function mimeTypeOf(url: string, contentType: string | undefined): string {
  const said = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  const isGeneric = said === undefined || said === '' || said.endsWith('/octet-stream');
  return (isGeneric ? mimeTypeOfUrl(url) : said) ?? 'image/png';
}

const invalid = (detail: string, cause?: unknown): AppError =>
  new AppError('PARAMETER_INVALID', { param: 'messages', detail, cause });
