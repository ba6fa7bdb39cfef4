import type { JsonObject, Usage } from '../../../wire/contract.ts';
import { numberAt, objectAt } from '../../../wire/json/json.ts';

/** Members of the chat format that responses have under other names. */
const RENAMED: ReadonlySet<string> = new Set([
  ...['prompt_tokens', 'completion_tokens', 'total_tokens', 'prompt_tokens_details', 'completion_tokens_details'],
  ...['cache_read_input_tokens', 'cache_creation_input_tokens'],
]);

/** The usage of a response; what providers count beside tokens stays. */
export function toResponseUsage(usage: Usage): JsonObject {
  const extras = Object.entries(usage).filter(([name]) => !RENAMED.has(name));
  const inputs = objectAt(usage, 'prompt_tokens_details');
  const outputs = objectAt(usage, 'completion_tokens_details');
  return {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: {
      ...inputs,
      cached_tokens: numberAt(inputs, 'cached_tokens') ?? numberAt(usage, 'cache_read_input_tokens') ?? 0,
      cache_write_tokens: numberAt(inputs, 'cache_write_tokens') ?? numberAt(usage, 'cache_creation_input_tokens') ?? 0,
    },
    output_tokens: usage.completion_tokens,
    output_tokens_details: { ...outputs, reasoning_tokens: numberAt(outputs, 'reasoning_tokens') ?? 0 },
    total_tokens: usage.total_tokens,
    ...Object.fromEntries(extras),
  };
}
