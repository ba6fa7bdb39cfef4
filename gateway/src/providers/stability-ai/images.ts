/**
 * Generated images. The first version of the API takes JSON and draws several, the second one takes a form and draws one. Facts: the
 * vendor's public API reference.
 */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import {
  inlineAnyway,
  inlineImages,
  nearestRatio,
  refuseStream,
  sidesAs,
  sizeOf,
  weightedPrompt,
  wholeImages,
} from '../../wire/images/index.ts';
import { withoutAbsent } from '../../wire/json/json.ts';
import { taking } from '../../wire/params/params.ts';
import type { Call, Endpoint, JsonObject, RequestTable } from '../contract.ts';
import { pathSegment, shapeBody, takenByTable } from '../engine/index.ts';

const FIRST_VERSION: ReadonlySet<string> = new Set(['stable-diffusion-xl-1024-v1-0', 'stable-diffusion-v1-6']);
const isFirst = ({ model }: Call): boolean => FIRST_VERSION.has(model);

const AT_LEAST_320 = { min: 320 };
const FIRST_TABLE: RequestTable = {
  hooks: [wholeImages, weightedPrompt, sidesAs('width', 'height'), inlineAnyway],
  rename: { n: 'samples', style: 'style_preset' },
  drop: ['model', 'response_format', 'quality', 'user'],
  elsewhere: ['model'],
  clamp: { n: { min: 1, max: 10 }, width: AT_LEAST_320, height: AT_LEAST_320 },
};
const takesFirst = takenByTable(FIRST_TABLE) ?? (() => true);

/** All versions of Stable Diffusion 3 are one service, which takes the model as a field. */
const DIFFUSION_3 = /^sd3/;
const serviceOf = ({ model }: Call): string => (DIFFUSION_3.test(model) ? 'sd3' : model);

const RATIOS = ['1:1', '16:9', '21:9', '2:3', '3:2', '4:5', '5:4', '9:16', '9:21'];
const SAME_NAME = ['prompt', 'negative_prompt', 'seed', 'mode', 'strength', 'cfg_scale', 'output_format'];
const takesSecond = taking([...SAME_NAME, 'model', 'size', 'aspect_ratio', 'style', 'style_preset'], {
  response_format: (format) => format === 'b64_json',
  n: (n) => n === 1,
});

function toFields(params: JsonObject, call: Call): JsonObject {
  refuseStream(params, call);
  return withoutAbsent({
    ...Object.fromEntries(SAME_NAME.map((name) => [name, params[name]])),
    aspect_ratio: params['aspect_ratio'] ?? nearestRatio(sizeOf(params), RATIOS),
    style_preset: params['style_preset'] ?? params['style'],
    ...(serviceOf(call) === 'sd3' && call.model !== 'sd3' ? { model: call.model } : {}),
  });
}

export const imageGenerate: Endpoint = {
  method: 'POST',
  path: (call) =>
    isFirst(call)
      ? `/v1/generation/${pathSegment(call.model, 'model')}/text-to-image`
      : `/v2beta/stable-image/generate/${pathSegment(serviceOf(call), 'model')}`,
  request: {
    kind: 'write',
    takes: (call) => (isFirst(call) ? takesFirst : takesSecond),
    asForm: (call) => !isFirst(call),
    write: (params, call) => ok(isFirst(call) ? shapeBody(FIRST_TABLE, params, call) : toFields(params, call)),
  },
  answer: { kind: 'read', read: (body, call) => (isFirst(call) ? fromArtifacts(body, call) : fromImage(body, call)) },
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

/** Throws CONTENT_FILTERED as `fromArtifacts`. */
function fromImage(body: unknown, call: Call): Result<object, string> {
  if (!isObject(body)) return err('the answer is no object');
  if (body['finish_reason'] === 'CONTENT_FILTERED') throw new AppError('CONTENT_FILTERED', { provider: call.provider });
  return inlineImages([body['image']], call);
}
