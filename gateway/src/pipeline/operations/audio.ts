/** Audio in the format of OpenAI: speech made from a text, and texts made from a recording that comes in a form. */
import { COMPLETIONS, type Operation, ofDeployment } from './operation.ts';
import { typedHandler } from './typed/index.ts';

export const createSpeech: Operation = {
  id: 'createSpeech',
  routes: [{ method: 'POST', path: '/v1/audio/speech' }, ofDeployment('/audio/speech')],
  scopes: COMPLETIONS,
  bodies: ['json'],
  cacheable: false,
  generates: 'speech',
  checkedAs: 'createSpeech',
  errors: 'openai',
  streamFormat: 'events',
  handler: typedHandler('createSpeech', { model: 'body' }),
};

const FROM_RECORDING = {
  scopes: COMPLETIONS,
  bodies: ['form'],
  cacheable: false,
  generates: 'transcript',
  errors: 'openai',
  streamFormat: 'events',
} as const;

export const createTranscription: Operation = {
  ...FROM_RECORDING,
  id: 'createTranscription',
  routes: [{ method: 'POST', path: '/v1/audio/transcriptions' }, ofDeployment('/audio/transcriptions')],
  checkedAs: 'createTranscription',
  handler: typedHandler('createTranscription', { model: 'body' }),
};

export const createTranslation: Operation = {
  ...FROM_RECORDING,
  id: 'createTranslation',
  routes: [{ method: 'POST', path: '/v1/audio/translations' }, ofDeployment('/audio/translations')],
  checkedAs: 'createTranslation',
  handler: typedHandler('createTranslation', { model: 'body' }),
};
