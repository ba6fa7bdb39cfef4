/** The parameters that bodies of Cohere say. */
import { taking } from '../params/params.ts';

/** Of a chat request. */
export const takesCohereChat = taking([
  ...['model', 'messages', 'temperature', 'seed', 'frequency_penalty', 'presence_penalty', 'logprobs', 'documents'],
  ...['citation_options', 'safety_mode', 'max_tokens', 'max_completion_tokens', 'top_p', 'k', 'top_k', 'stop'],
  ...['tools', 'tool_choice', 'response_format', 'thinking'],
]);

/** Of a text completion. */
export const takesGenerate = taking([
  ...['model', 'prompt', 'max_tokens', 'temperature', 'top_p', 'top_k', 'frequency_penalty', 'presence_penalty'],
  ...['n', 'stop', 'logit_bias'],
]);

/** Of an embeddings call. */
export const takesCohereEmbed = taking([
  ...['model', 'input', 'input_type', 'truncate', 'encoding_format', 'dimensions', 'embedding_types'],
]);
