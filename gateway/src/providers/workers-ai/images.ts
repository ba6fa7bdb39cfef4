/** Generated images. Models answer with JSON or with the bytes of the image. */
import { err, isObject, ok } from '@gatehouse/crds';
import { imagesBody, inlineImages, refuseStream, sizeOf } from '../../wire/images/index.ts';
import type { BodyHook, Endpoint } from '../contract.ts';

const toBody: BodyHook = (params, call) => {
  refuseStream(params, call);
  const { size: _, steps, ...rest } = params;
  const sides = sizeOf(params) ?? {};
  // Models name the steps in two ways, and ignore the other one.
  return { ...rest, ...sides, ...(steps === undefined ? {} : { steps, num_steps: steps }) };
};

export const imageGenerate: Endpoint = {
  method: 'POST',
  path: '/{model}',
  request: {
    kind: 'table',
    table: {
      hooks: [toBody],
      only: [
        'prompt',
        'negative_prompt',
        'size',
        'steps',
        'num_steps',
        'width',
        'height',
        'seed',
        'guidance',
        'strength',
      ],
      elsewhere: ['model'],
      drop: ['response_format'],
    },
  },
  answer: {
    kind: 'read',
    read(body, call) {
      const result = isObject(body) ? body['result'] : undefined;
      return isObject(result) ? inlineImages([result['image']], call) : err('the result is missing');
    },
    readImage: (bytes, call) => ok(imagesBody([{ b64_json: bytes.toString('base64') }], call)),
  },
};
