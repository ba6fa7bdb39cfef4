/** Generated images per model family. Sources: Amazon Bedrock, inference parameters of Stability AI, Titan and Nova Canvas. */
import { err, isObject, type Result } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import type { JsonObject, WireContext } from '../contract.ts';
import { inlineImages, type Size, sizeOf } from '../images/index.ts';
import { objectAt, orAbsent, withoutAbsent } from '../json/json.ts';
import { type Takes, taking } from '../params/params.ts';
import type { Family } from './model-id.ts';

const MAX_IMAGES = 10;
const MIN_SIDE = 320;
/** The first generation of Stability's models. */
const SDXL = /^stability\.stable-diffusion-xl-v\d/;

const INLINE = { response_format: (format: unknown): boolean => format === 'b64_json' };
const TAKES_SDXL = taking(
  [
    ...['model', 'prompt', 'n', 'size', 'style', 'negative_prompt', 'seed', 'steps', 'cfg_scale', 'sampler'],
    ...['clip_guidance_preset'],
  ],
  INLINE,
);
const TAKES_STABILITY = taking(
  [
    ...['model', 'prompt', 'negative_prompt', 'aspect_ratio', 'seed', 'style_preset', 'mode', 'output_format'],
    ...['image', 'strength'],
  ],
  INLINE,
);
const TAKES_AMAZON = taking(
  [...['model', 'prompt', 'negative_prompt', 'n', 'size', 'quality', 'seed', 'cfg_scale']],
  INLINE,
);

export const drawsImages = (family: Family): boolean => family === 'stability' || family === 'amazon';

/** `foundation`: empty where it is not known. */
export function takesImages(foundation: string): Takes {
  if (foundation.startsWith('amazon.')) return TAKES_AMAZON;
  return SDXL.test(foundation) ? TAKES_SDXL : TAKES_STABILITY;
}

/** Throws AppError PARAMETER_INVALID for a size that is none. */
export function toImagesBody(params: JsonObject, foundation: string): JsonObject {
  if (foundation.startsWith('amazon.')) return toAmazonBody(params);
  return SDXL.test(foundation) ? toSdxlBody(params) : toStabilityBody(params);
}

const countOf = ({ n }: JsonObject): number | undefined =>
  typeof n === 'number' ? Math.min(Math.max(n, 1), MAX_IMAGES) : undefined;

const atLeast = (size: Size | undefined, side: 'width' | 'height'): number | undefined =>
  size && Math.max(size[side], MIN_SIDE);

function toSdxlBody(params: JsonObject): JsonObject {
  const { prompt, negative_prompt: negative } = params;
  const size = sizeOf(params);
  return withoutAbsent({
    text_prompts: [
      { text: prompt, weight: 1 },
      ...(negative === undefined || negative === null ? [] : [{ text: negative, weight: -1 }]),
    ],
    samples: countOf(params),
    width: atLeast(size, 'width'),
    height: atLeast(size, 'height'),
    style_preset: params['style'],
    seed: params['seed'],
    steps: params['steps'],
    cfg_scale: params['cfg_scale'],
    sampler: params['sampler'],
    clip_guidance_preset: params['clip_guidance_preset'],
  });
}

const STABILITY_NAMES = [
  ...[
    'prompt',
    'negative_prompt',
    'aspect_ratio',
    'seed',
    'style_preset',
    'mode',
    'output_format',
    'image',
    'strength',
  ],
];

const toStabilityBody = (params: JsonObject): JsonObject =>
  withoutAbsent(Object.fromEntries(STABILITY_NAMES.map((name) => [name, params[name]])));

function toAmazonBody(params: JsonObject): JsonObject {
  const size = sizeOf(params);
  const { quality } = params;
  const settings = withoutAbsent({
    numberOfImages: countOf(params),
    width: size?.width,
    height: size?.height,
    quality: quality === 'hd' || quality === 'high' ? 'premium' : quality === 'premium' ? quality : undefined,
    seed: params['seed'],
    cfgScale: params['cfg_scale'],
  });
  return withoutAbsent({
    taskType: 'TEXT_IMAGE',
    textToImageParams: withoutAbsent({ text: params['prompt'], negativeText: params['negative_prompt'] }),
    imageGenerationConfig: orAbsent(settings),
  });
}

/** Throws AppError CONTENT_FILTERED where the model drew nothing because of what was asked. */
export function fromImages(body: unknown, context: WireContext): Result<JsonObject, string> {
  if (!isObject(body)) return err('the answer is no object');
  const { artifacts, images, finish_reasons: reasons, error } = body;
  const filtered = (): never => {
    throw new AppError('CONTENT_FILTERED', { provider: context.provider });
  };
  if (Array.isArray(artifacts)) {
    if (artifacts.some((artifact) => objectAt({ artifact }, 'artifact')?.['finishReason'] === 'CONTENT_FILTERED'))
      filtered();
    return inlineImages(artifacts, context, 'base64');
  }
  if (Array.isArray(reasons) && reasons.some((reason) => typeof reason === 'string')) filtered();
  if (!Array.isArray(images) && typeof error === 'string') filtered();
  return inlineImages(images, context);
}
