/** What the Messages API calls the parameters of a chat request; those that are missing have the same name. */
export const CLIENT_NAMES: ReadonlyMap<string, string> = new Map([
  ['max_completion_tokens', 'max_tokens'],
  ['stop', 'stop_sequences'],
  ['user', 'metadata.user_id'],
  ['parallel_tool_calls', 'tool_choice.disable_parallel_tool_use'],
  ['response_format', 'output_config.format'],
  ['reasoning_effort', 'output_config.effort'],
]);
