/** Parameters of calls that generate images. */
import { AppError } from '../../errors/index.ts';
import type { JsonObject, WireContext } from '../contract.ts';

/** Units: pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

const SIZE = /^(\d{1,5})x(\d{1,5})$/i;

/** Undefined: the provider chooses. Throws AppError PARAMETER_INVALID for a text of another form. */
export function sizeOf({ size }: JsonObject): Size | undefined {
  if (size === undefined || size === null || size === 'auto') return undefined;
  const [, width, height] = typeof size === 'string' ? (SIZE.exec(size) ?? []) : [];
  if (width !== undefined && height !== undefined) return { width: Number(width), height: Number(height) };
  throw new AppError('PARAMETER_INVALID', {
    param: 'size',
    detail: 'size is WIDTHxHEIGHT in pixels, such as 1024x768',
  });
}

/** The nearest to a size of the ratios that a model draws, each as `WIDTH:HEIGHT`; undefined: the provider chooses. */
export function nearestRatio(size: Size | undefined, ratios: readonly string[]): string | undefined {
  if (size === undefined || size.width === 0 || size.height === 0) return undefined;
  const wanted = size.width / size.height;
  const distance = (ratio: string): number => {
    const [width = 1, height = 1] = ratio.split(':').map(Number);
    return Math.abs(Math.log(width / height / wanted));
  };
  return ratios.toSorted((one, other) => distance(one) - distance(other))[0];
}

/** For providers that answer with whole images alone. Throws AppError PARAMETER_UNSUPPORTED. */
export function refuseStream({ stream }: JsonObject, { provider }: WireContext): void {
  if (stream !== true) return;
  throw new AppError('PARAMETER_UNSUPPORTED', {
    param: 'stream',
    provider,
    detail: `${provider} does not stream images; leave stream out`,
  });
}

type Change = (params: JsonObject, context: WireContext) => JsonObject;

/** Refuses streams. */
export const wholeImages: Change = (params, call) => {
  refuseStream(params, call);
  return params;
};

/** The side lengths of `size` under names of the provider's. */
export const sidesAs =
  (widthName: string, heightName: string): Change =>
  (params) => {
    const size = sizeOf(params);
    const { size: _, ...rest } = params;
    return size === undefined ? rest : { [widthName]: size.width, [heightName]: size.height, ...rest };
  };

/** Images are sent in base64 anyway. */
export const inlineAnyway: Change = (params) => {
  if (params['response_format'] !== 'b64_json') return params;
  const { response_format: _, ...rest } = params;
  return rest;
};

/** A prompt as a list of weighted texts, unless the client sends one. */
export const weightedPrompt: Change = (params) => {
  const { prompt, ...rest } = params;
  if (prompt === undefined || params['text_prompts'] !== undefined) return rest;
  return { text_prompts: [{ text: prompt, weight: 1 }], ...rest };
};
