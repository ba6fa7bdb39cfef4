import { inlineImageUrls as entry } from '@gatehouse/crds/guardrails';
import { type CheckAnswer, type CheckTools, defineCheck } from '../../contract.ts';
import { CheckFault, faultOf } from '../../outbound/index.ts';
import { fetchUrl } from './fetch-url.ts';
import { type Image, imageUrlsOf, mimeTypeOf, withImages } from './image-parts.ts';
import { inTurn } from './in-turn.ts';

/** Different images of one request, and their bytes together. */
const MAX_IMAGES = 32;
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;
const AT_ONCE = 4;
/** Bytes that are encoded without a pause: a multiple of three, so that the pieces fit together. */
const SLICE_BYTES = 768 * 1024;
const WITH_IMAGES: ReadonlySet<string> = new Set(['chatComplete', 'messages']);

interface Failure {
  readonly url: string;
  readonly error: string;
}

export const inlineImageUrls = defineCheck(entry, ({ providers, maxSizeBytes, timeoutMs }) => {
  return async (subject, tools): Promise<CheckAnswer> => {
    const { phase, requestType, provider, request } = subject;
    if (phase !== 'input' || !WITH_IMAGES.has(requestType)) return skipped('only images of chat requests are replaced');
    if (providers.length > 0 && !providers.includes(provider)) {
      return skipped(`images are not replaced for the provider ${provider}`);
    }
    const urls = imageUrlsOf(request);
    const images = new Map<string, Image>();
    const errors: Failure[] = urls.slice(MAX_IMAGES).map((url) => ({ url, error: `more than ${MAX_IMAGES} images` }));
    let leftBytes = MAX_TOTAL_BYTES;
    await inTurn(urls.slice(0, MAX_IMAGES), AT_ONCE, async (url) => {
      try {
        const maxBytes = Math.min(maxSizeBytes, leftBytes);
        const { bytes, mimeType } = await fetchImage(url, { maxBytes, timeoutMs }, tools);
        leftBytes -= bytes.length;
        images.set(url, { mimeType, base64: await base64Of(bytes, tools) });
      } catch (error) {
        if (tools.signal.cancelled) throw error;
        errors.push({ url, error: faultOf(error).message });
      }
    });
    return {
      ...outcomeOf(errors),
      data: { imagesConverted: images.size, errors, provider },
      ...(images.size === 0 ? {} : { transformed: { kind: 'body', body: withImages(request, images) } }),
    };
  };
});

const skipped = (reason: string): CheckAnswer => ({ verdict: true, data: { skipped: true, reason } });

/** Images that could not be fetched stay as they are: whether that fails is up to `failOnError`. */
const outcomeOf = ({ length }: readonly Failure[]): Pick<CheckAnswer, 'verdict' | 'error'> =>
  length === 0
    ? { verdict: true }
    : { verdict: false, error: { name: 'ImageError', message: `${length} images could not be fetched` } };

interface ImageLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

async function fetchImage(url: string, { maxBytes, timeoutMs }: ImageLimits, tools: CheckTools) {
  if (maxBytes <= 0) throw new CheckFault('ResponseTooLarge', `The images have more than ${MAX_TOTAL_BYTES} bytes`);
  const call = { method: 'GET', headers: { accept: 'image/*' }, maxBytes, timeoutMs } as const;
  const { status, headers, body } = await fetchUrl(url, call, tools);
  if (status < 200 || status > 299) throw new CheckFault('HttpError', `The image was answered with status ${status}`);
  if (body.length === 0) throw new CheckFault('ParseError', 'The image is empty');
  return { bytes: body, mimeType: mimeTypeOf(url, headers['content-type']) };
}

async function base64Of(bytes: Buffer, { nextSlice }: Pick<CheckTools, 'nextSlice'>): Promise<string> {
  let text = bytes.toString('base64', 0, SLICE_BYTES);
  for (let at = SLICE_BYTES; at < bytes.length; at += SLICE_BYTES) {
    await nextSlice();
    text += bytes.toString('base64', at, at + SLICE_BYTES);
  }
  return text;
}
