/** The parameters that bodies of Ollama say. */
import { areFunctions, taking } from '../params/params.ts';

/** Of a chat request. */
export const takesOllamaChat = taking(
  [
    ...['model', 'messages', 'max_tokens', 'max_completion_tokens', 'temperature', 'top_p', 'top_k', 'seed', 'stop'],
    ...['presence_penalty', 'frequency_penalty', 'logprobs', 'top_logprobs', 'response_format', 'reasoning_effort'],
    ...['think', 'thinking', 'num_predict', 'options', 'keep_alive', 'truncate', 'shift'],
  ],
  { tools: areFunctions, tool_choice: (choice) => choice === 'none' || choice === 'auto' },
);

/** Of an embeddings call; vectors are lists of numbers. */
export const takesOllamaEmbed = taking(['model', 'input', 'dimensions', 'truncate', 'options', 'keep_alive'], {
  encoding_format: (format) => format === 'float',
});
