/** Generation of images by providers of the table that differ from OpenAI. Facts: the public API references of the vendors. */
import { err, isObject, ok } from '@gatehouse/crds';
import { imagesBody, inlineImages, refuseStream, sizeOf } from '../../../wire/images/index.ts';
import type { BodyHook, Endpoint } from '../../contract.ts';
import { pathSegment, requireModel } from '../../engine/index.ts';
import type { EndpointRow } from '../../openai-like/index.ts';

const wholeImages: BodyHook = (params, call) => {
  refuseStream(params, call);
  return params;
};

/** The side lengths of `size` under names of the provider's. */
const sidesAs =
  (widthName: string, heightName: string): BodyHook =>
  (params) => {
    const size = sizeOf(params);
    const { size: _, ...rest } = params;
    return size === undefined ? rest : { [widthName]: size.width, [heightName]: size.height, ...rest };
  };

/** Images are sent in base64 anyway. */
const inlineAnyway: BodyHook = (params) => {
  if (params['response_format'] !== 'b64_json') return params;
  const { response_format: _, ...rest } = params;
  return rest;
};

/** hyperbolic: images have members of their own. */
export const hyperbolicImages: EndpointRow = {
  path: '/v1/image/generation',
  model: 'account',
  rename: { model: 'model_name' },
  drop: ['response_format'],
  hooks: [wholeImages, sidesAs('width', 'height'), inlineAnyway],
  answer: {
    kind: 'read',
    read: (body, call) => inlineImages(isObject(body) ? body['images'] : undefined, call, 'image'),
  },
};

/** siliconflow: `images` in place of `data`. */
export const siliconflowImages: EndpointRow = {
  rename: { size: 'image_size', n: 'batch_size' },
  hooks: [wholeImages],
  answer: {
    kind: 'read',
    read(body, call) {
      const images = isObject(body) ? body['images'] : undefined;
      return Array.isArray(images) ? ok(imagesBody(images.filter(isObject), call)) : err('the images are missing');
    },
  },
};

/** segmind: the model is the path, and the answer has one image or a list. */
export const segmindImages: Endpoint = {
  method: 'POST',
  path: (call) => `/${pathSegment(requireModel(call), 'model')}`,
  request: {
    kind: 'table',
    table: {
      hooks: [wholeImages, sidesAs('img_width', 'img_height'), inlineAnyway],
      rename: { n: 'samples', steps: 'num_inference_steps', qr_size: 'size' },
      drop: ['model', 'response_format', 'user'],
      elsewhere: ['model'],
      clamp: { n: { min: 1, max: 10 } },
      inject: { steps: 20, base64: true },
    },
  },
  answer: {
    kind: 'read',
    read(body, call) {
      const image = isObject(body) ? body['image'] : undefined;
      return inlineImages(Array.isArray(image) ? image : [image], call);
    },
  },
};
