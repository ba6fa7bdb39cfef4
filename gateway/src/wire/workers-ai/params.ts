/** The parameters that bodies of Workers AI say. The model is in the path. */
import { isObject } from '@gatehouse/crds';
import { taking } from '../params/params.ts';

/** Same name and meaning on both sides. */
export const GENERATION = [
  ...['temperature', 'top_p', 'top_k', 'seed', 'frequency_penalty', 'presence_penalty', 'repetition_penalty', 'raw'],
  'lora',
] as const;

const SHARED = ['model', 'max_tokens', ...GENERATION];

/** Of a chat request. */
export const takesWorkersAiChat = taking([...SHARED, 'messages', 'max_completion_tokens', 'tools'], {
  response_format: (format) => isObject(format) && format['type'] !== 'text',
});

/** Of a text completion. */
export const takesWorkersAiCompletion = taking([...SHARED, 'prompt']);

/** Of an embeddings call. */
export const takesWorkersAiEmbedding = taking(['model', 'input', 'encoding_format']);
