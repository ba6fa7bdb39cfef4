/** The parameters that bodies of AI21's Jurassic models say. The model is in the path. */
import { taking } from '../params/params.ts';

const SHARED = [
  ...['model', 'n', 'max_tokens', 'minTokens', 'temperature', 'top_p', 'top_k', 'stop'],
  ...['presence_penalty', 'frequency_penalty', 'countPenalty', 'frequencyPenalty', 'presencePenalty'],
];

export const takesJurassicChat = taking([...SHARED, 'messages', 'max_completion_tokens']);

export const takesJurassicCompletion = taking([...SHARED, 'prompt']);

export const takesJurassicEmbedding = taking(['model', 'input', 'type', 'encoding_format']);
