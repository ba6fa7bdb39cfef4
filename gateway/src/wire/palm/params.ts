/** The parameters that bodies of the PaLM API say. The model is in the path. */
import { taking } from '../params/params.ts';

const SHARED = ['model', 'temperature', 'top_p', 'top_k', 'n', 'max_tokens', 'stop'];

export const takesPalmChat = taking([...SHARED, 'messages', 'examples', 'max_completion_tokens']);

export const takesPalmCompletion = taking([...SHARED, 'prompt']);

export const takesPalmEmbedding = taking(['model', 'input', 'encoding_format']);
