import { countTokens } from '../answer/index.ts';
import type { Exchange, Route } from '../exchange.ts';
import { type JsonObject, readCount, readString } from '../json.ts';
import type { Form } from '../multipart.ts';
import { json, type Reply } from '../reply.ts';
import { namedFrame, SSE_HEADERS } from '../sse.ts';
import { openai, openaiErrorFrame, refuseField } from './errors.ts';

/** A PNG of one transparent pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const MAX_IMAGES = 10; // bound of `n` in the API
const MAX_PARTIAL_IMAGES = 3; // bound of `partial_images` in the API
const IMAGE_TOKENS = 272;

export const IMAGE_ROUTES: readonly Route[] = [
  { method: 'POST', path: '/v1/images/generations', dialect: openai, input: 'json', handle: generateImages },
  { method: 'POST', path: '/v1/images/edits', dialect: openai, input: 'form', handle: editImages },
  { method: 'POST', path: '/v1/images/variations', dialect: openai, input: 'form', handle: varyImages },
];

interface ImageRequest {
  readonly prompt: string;
  readonly count: number;
  /** Whether the answer names an address instead of carrying the bytes. */
  readonly asUrl: boolean;
  readonly stream: boolean;
  readonly partialImages: number;
  readonly images: number;
  /** Of the events of a stream. */
  readonly eventPrefix: 'image_generation' | 'image_edit';
}

function generateImages(exchange: Exchange, body: JsonObject): Reply {
  const prompt = readString(body, 'prompt');
  if (prompt === undefined) return refuseField('prompt', 'prompt is required');
  return answerImages(exchange, {
    prompt,
    count: readCount(body, 'n') ?? 1,
    asUrl: readString(body, 'response_format') === 'url',
    stream: body['stream'] === true,
    partialImages: readCount(body, 'partial_images') ?? 0,
    images: 0,
    eventPrefix: 'image_generation',
  });
}

function editImages(exchange: Exchange, form: Form): Reply {
  const prompt = form.fields.get('prompt');
  return prompt === undefined ? refuseField('prompt', 'prompt is required') : changeImages(exchange, form, prompt);
}

function varyImages(exchange: Exchange, form: Form): Reply {
  return changeImages(exchange, form, '');
}

function changeImages(exchange: Exchange, { fields, files }: Form, prompt: string): Reply {
  const images = files.filter(({ name }) => name === 'image' || name === 'image[]').length;
  if (images === 0) return refuseField('image', 'image is required');
  return answerImages(exchange, {
    prompt,
    count: Number(fields.get('n') ?? 1),
    asUrl: fields.get('response_format') === 'url',
    stream: fields.get('stream') === 'true',
    partialImages: Number(fields.get('partial_images') ?? 0),
    images,
    eventPrefix: 'image_edit',
  });
}

function answerImages(exchange: Exchange, request: ImageRequest): Reply {
  const { count, prompt, images } = request;
  if (!(count >= 1 && count <= MAX_IMAGES)) return refuseField('n', `n must be from 1 to ${MAX_IMAGES}`);
  const text = countTokens(prompt.length);
  const input = text + images * IMAGE_TOKENS;
  const output = count * IMAGE_TOKENS;
  const usage = {
    input_tokens: input,
    input_tokens_details: { text_tokens: text, image_tokens: images * IMAGE_TOKENS },
    output_tokens: output,
    total_tokens: input + output,
  };
  if (request.stream) return imageStream(exchange, request, usage);
  const image = request.asUrl ? { url: `data:image/png;base64,${PIXEL}` } : { b64_json: PIXEL };
  const data = Array.from({ length: count }, () => image);
  const { seed } = exchange;
  return json({ created: seed.createdSeconds, data, usage }, { 'x-request-id': seed.id('req_') });
}

function imageStream({ seed }: Exchange, request: ImageRequest, usage: object): Reply {
  const partial = Number.isSafeInteger(request.partialImages) ? request.partialImages : 0;
  const about = {
    b64_json: PIXEL,
    created_at: seed.createdSeconds,
    background: 'transparent',
    output_format: 'png',
    quality: 'low',
    size: '1024x1024',
  };
  const partials = Array.from({ length: Math.min(Math.max(partial, 0), MAX_PARTIAL_IMAGES) }, (_, index) =>
    namedFrame({ type: `${request.eventPrefix}.partial_image`, ...about, partial_image_index: index }, 'token'),
  );
  return {
    kind: 'stream',
    headers: { ...SSE_HEADERS, 'x-request-id': seed.id('req_') },
    frames: [...partials, namedFrame({ type: `${request.eventPrefix}.completed`, ...about, usage }, 'end')],
    errorFrame: openaiErrorFrame,
  };
}
