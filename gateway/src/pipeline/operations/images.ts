/** Images in the format of OpenAI: made from a text, or from other images that come in a form. */
import { COMPLETIONS, type Operation, ofDeployment } from './operation.ts';
import { typedHandler } from './typed/index.ts';

export const imageGenerate: Operation = {
  id: 'imageGenerate',
  routes: [{ method: 'POST', path: '/v1/images/generations' }, ofDeployment('/images/generations')],
  scopes: COMPLETIONS,
  bodies: ['json'],
  cacheable: true,
  generates: 'images',
  checkedAs: 'imageGenerate',
  errors: 'openai',
  streamFormat: 'events',
  handler: typedHandler('imageGenerate', { model: 'body' }),
};

const FROM_IMAGES = {
  scopes: COMPLETIONS,
  bodies: ['form'],
  cacheable: false,
  generates: 'images',
  errors: 'openai',
  streamFormat: 'events',
} as const;

export const imageEdit: Operation = {
  ...FROM_IMAGES,
  id: 'imageEdit',
  routes: [{ method: 'POST', path: '/v1/images/edits' }, ofDeployment('/images/edits')],
  checkedAs: 'imageEdit',
  handler: typedHandler('imageEdit', { model: 'body' }),
};

export const imageVariation: Operation = {
  ...FROM_IMAGES,
  id: 'imageVariation',
  routes: [{ method: 'POST', path: '/v1/images/variations' }],
  checkedAs: 'imageVariation',
  handler: typedHandler('imageVariation', { model: 'body' }),
};
