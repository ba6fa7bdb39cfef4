/** Generation of images by providers of the table that differ from OpenAI. Facts: the public API references of the vendors. */
import { err, isObject, ok } from '@gatehouse/crds';
import {
  imagesBody,
  inlineAnyway,
  inlineImages,
  sidesAs,
  weightedPrompt,
  wholeImages,
} from '../../../wire/images/index.ts';
import type { Endpoint } from '../../contract.ts';
import { pathSegment, requireModel } from '../../engine/index.ts';
import type { EndpointRow } from '../../openai-like/index.ts';

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

/** fireworks-ai: the model is the path and a member; the answer is a list of images with their seeds. */
export const fireworksImages: EndpointRow = {
  path: '/image_generation/{model}',
  hooks: [wholeImages, weightedPrompt, sidesAs('width', 'height'), inlineAnyway],
  rename: { n: 'samples' },
  drop: ['response_format', 'quality', 'style', 'user'],
  clamp: {
    n: { min: 1, max: 10 },
    width: { min: 512, max: 1_024 },
    height: { min: 512, max: 1_024 },
    steps: { min: 10, max: 150 },
  },
  answer: {
    kind: 'read',
    read(body, call) {
      if (!Array.isArray(body) || !body.every(isObject)) return err('the answer is no list of images');
      const data = body.map(({ base64, seed, finishReason }) => ({ b64_json: base64, seed, finishReason }));
      if (!data.every((image) => typeof image.b64_json === 'string')) return err('an image is no text');
      return ok(imagesBody(data, call));
    },
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
