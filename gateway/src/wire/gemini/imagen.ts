/** Imagen on Vertex AI. Source: Vertex AI API reference, Imagen. */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import type { JsonObject, WireContext } from '../contract.ts';
import { imagesBody, nearestRatio, sizeOf } from '../images/index.ts';
import { objectsAt, orAbsent, textAt, withoutAbsent } from '../json/json.ts';
import { taking } from '../params/params.ts';

const MAX_IMAGES = 8;
const RATIOS = ['1:1', '3:4', '4:3', '9:16', '16:9'];
const HD_QUALITY = 100;
const USUAL_QUALITY = 75;

export const takesImagen = taking(
  [
    ...['model', 'prompt', 'n', 'size', 'style', 'quality', 'output_format', 'output_compression', 'seed'],
    ...['aspect_ratio', 'negative_prompt', 'person_generation', 'safety_setting', 'add_watermark'],
  ],
  { response_format: (format) => format === 'b64_json' },
);

/**
 * The body of `predict`, in which nothing of the call names a place to write to: the service would write there with the credential of
 * the account. Throws AppError PARAMETER_INVALID.
 */
export function toImagenBody(params: JsonObject): JsonObject {
  const { n } = params;
  const parameters = withoutAbsent({
    sampleCount: typeof n === 'number' ? Math.min(Math.max(n, 1), MAX_IMAGES) : undefined,
    sampleImageStyle: params['style'],
    aspectRatio: params['aspect_ratio'] ?? nearestRatio(sizeOf(params), RATIOS),
    seed: params['seed'],
    negativePrompt: params['negative_prompt'],
    personGeneration: params['person_generation'],
    safetySetting: params['safety_setting'],
    addWatermark: params['add_watermark'],
    outputOptions: orAbsent(withoutAbsent({ mimeType: mimeTypeOf(params), compressionQuality: compressionOf(params) })),
  });
  return withoutAbsent({ instances: [{ prompt: params['prompt'] }], parameters: orAbsent(parameters) });
}

function mimeTypeOf({ output_format: format }: JsonObject): string | undefined {
  return typeof format === 'string' ? (format.includes('/') ? format : `image/${format}`) : undefined;
}

function compressionOf({ output_compression: given, quality }: JsonObject): unknown {
  if (given !== undefined) return given;
  if (quality === undefined || quality === null || typeof quality === 'number') return quality;
  return quality === 'hd' ? HD_QUALITY : USUAL_QUALITY;
}

/** Images that were filtered are left out. Throws AppError CONTENT_FILTERED where all were. */
export function fromImagen(body: unknown, context: WireContext): Result<JsonObject, string> {
  const predictions = objectsAt(isObject(body) ? body : undefined, 'predictions');
  const images = predictions.map((prediction) => textAt(prediction, 'bytesBase64Encoded'));
  const drawn = images.filter((image) => image !== undefined);
  if (drawn.length > 0)
    return ok(
      imagesBody(
        drawn.map((b64_json) => ({ b64_json })),
        context,
      ),
    );
  const isFiltered = predictions.some((prediction) => prediction['raiFilteredReason'] !== undefined);
  // The service leaves out what it filters without saying so, unless it is asked to.
  if (!isFiltered && (!isObject(body) || Object.keys(body).length > 0)) return err('the answer has no images');
  throw new AppError('CONTENT_FILTERED', { provider: context.provider });
}
