/** Generated images of the first version of the API; later models take forms, and go through the proxy. */
import { err, isObject, type Result } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import { inlineAnyway, inlineImages, sidesAs, weightedPrompt, wholeImages } from '../../wire/images/index.ts';
import type { Call, Endpoint } from '../contract.ts';
import { pathSegment } from '../engine/index.ts';

const MODELS: ReadonlySet<string> = new Set(['stable-diffusion-xl-1024-v1-0', 'stable-diffusion-v1-6']);
const AT_LEAST_320 = { min: 320 };

export const imageGenerate: Endpoint = {
  method: 'POST',
  path: ({ model }) => `/v1/generation/${pathSegment(model, 'model')}/text-to-image`,
  supports: ({ model }) => MODELS.has(model),
  request: {
    kind: 'table',
    table: {
      hooks: [wholeImages, weightedPrompt, sidesAs('width', 'height'), inlineAnyway],
      rename: { n: 'samples', style: 'style_preset' },
      drop: ['model', 'response_format', 'quality', 'user'],
      elsewhere: ['model'],
      clamp: { n: { min: 1, max: 10 }, width: AT_LEAST_320, height: AT_LEAST_320 },
    },
  },
  answer: { kind: 'read', read: fromArtifacts },
};

/** Throws CONTENT_FILTERED where the vendor withholds an image: a blurred one is in its place. */
function fromArtifacts(body: unknown, call: Call): Result<object, string> {
  const artifacts = isObject(body) ? body['artifacts'] : undefined;
  if (!Array.isArray(artifacts)) return err('the artifacts are missing');
  if (artifacts.some((artifact) => isObject(artifact) && artifact['finishReason'] === 'CONTENT_FILTERED')) {
    throw new AppError('CONTENT_FILTERED', { provider: call.provider });
  }
  return inlineImages(artifacts, call, 'base64');
}
