/** The parameters that a body of the messages API says. */
import { isSchemaFormat, taking } from '../params/params.ts';

/** Of a chat request; the vendor takes its version and its flags as headers. */
export const takesAnthropicChat = taking(
  [
    ...['model', 'messages', 'max_tokens', 'max_completion_tokens', 'temperature', 'top_p', 'top_k', 'stop', 'user'],
    ...['tools', 'functions', 'tool_choice', 'function_call', 'parallel_tool_calls', 'thinking', 'reasoning_effort'],
    ...['anthropic_beta', 'anthropic_version'],
  ],
  { response_format: isSchemaFormat },
);

/** Of a text completion. */
export const takesLegacyCompletion = taking([
  ...['model', 'prompt', 'max_tokens', 'max_completion_tokens', 'temperature', 'top_p', 'top_k', 'stop', 'user'],
  ...['anthropic_beta', 'anthropic_version'],
]);
