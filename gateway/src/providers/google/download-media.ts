/** The Gemini API fetches uploaded files and videos only: images at other URLs are sent inline. */
import { err, ok, type Result } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import type { CancelSignal } from '../../lib/cancellation.ts';
import type { InlineMedia, RemoteMedia } from '../../wire/gemini/index.ts';
import { type DataUrl, mimeTypeOfUrl } from '../../wire/openai/index.ts';
import type { ProviderServices, SideAnswer } from '../contract.ts';

/** Bytes of all media of one request: the API takes 20 MB of JSON, of which base64 takes a third more than the bytes. */
export const MAX_MEDIA_BYTES = 14_000_000;
export const MAX_MEDIA_COUNT = 32;

interface Context {
  readonly services: ProviderServices;
  readonly signal: CancelSignal;
}

/**
 * The media at the given URLs, fetched one after the other so that a request never holds more than the limit. Errors:
 * `PARAMETER_INVALID`; a cancelled call throws its own reason.
 */
export async function downloadMedia(
  remote: readonly RemoteMedia[],
  context: Context,
): Promise<Result<InlineMedia, AppError>> {
  if (remote.length > MAX_MEDIA_COUNT) return err(refused(`at most ${MAX_MEDIA_COUNT} remote files in a request`));
  const media = new Map<string, DataUrl>();
  let leftBytes = MAX_MEDIA_BYTES;
  for (const item of remote) {
    const answer = await download(item.url, leftBytes, context);
    if (!answer.ok) return answer;
    const { headers, body } = answer.value;
    leftBytes -= body.length;
    media.set(item.url, { mimeType: mimeTypeOf(item, headers['content-type']), data: body.toString('base64') });
  }
  return ok(media);
}

async function download(
  url: string,
  maxBytes: number,
  { services, signal }: Context,
): Promise<Result<SideAnswer, AppError>> {
  try {
    const answer = await services.fetch({ method: 'GET', url, maxBytes }, { signal });
    if (answer.status !== 200) return err(refused(`${hostOf(url)} answered with status ${answer.status}`));
    return answer.body.length > maxBytes
      ? err(refused(`more than ${MAX_MEDIA_BYTES} bytes of remote files`))
      : ok(answer);
  } catch (thrown) {
    if (signal.cancelled) throw thrown;
    // The client named the URL: its failure is not the provider's, and another attempt would not help.
    return err(refused(`${hostOf(url)} could not be read`, thrown));
  }
}

function mimeTypeOf({ url, mimeType }: RemoteMedia, contentType: string | undefined): string {
  const served = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  const named = served === undefined || served.endsWith('/octet-stream') ? undefined : served;
  return mimeType ?? named ?? mimeTypeOfUrl(url) ?? 'image/jpeg';
}

const refused = (why: string, cause?: unknown): AppError =>
  new AppError('PARAMETER_INVALID', {
    detail: `An image or file of the messages cannot be sent: ${why}`,
    param: 'messages',
    ...(cause === undefined ? {} : { cause }),
  });

const hostOf = (url: string): string => new URL(url).host;
