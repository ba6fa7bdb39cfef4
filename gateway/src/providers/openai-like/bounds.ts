import type { RequestTable } from '../contract.ts';

type Clamp = NonNullable<RequestTable['clamp']>;

/** Changes of a row to the base bounds: `none` removes one. */
export type ClampChanges = Readonly<Record<string, Clamp[string] | 'none'>>;

export const NOT_NEGATIVE = { min: 0 } as const;
export const AT_LEAST_ONE = { min: 1 } as const;
export const EXACTLY_ONE = { min: 1, max: 1 } as const;

/** A rename for upstreams that accept the token limit under its older name only. */
export const OLDER_LIMIT = { max_completion_tokens: 'max_tokens' } as const;

/** Parameters of many look-alikes that OpenAI refuses. Source: OpenAI API reference, chat completions. */
export const BEYOND_OPENAI: readonly string[] = ['top_k'];

/** What OpenAI accepts. */
const SAMPLING: Clamp = {
  max_tokens: { min: 0 },
  temperature: { min: 0, max: 2 },
  top_p: { min: 0, max: 1 },
  presence_penalty: { min: -2, max: 2 },
  frequency_penalty: { min: -2, max: 2 },
};

export const CHAT_CLAMP: Clamp = SAMPLING;
export const COMPLETION_CLAMP: Clamp = { ...SAMPLING, logprobs: { max: 5 } };

/** The base with the changes of a row. */
export function mergeClamp(base: Clamp, changes: ClampChanges = {}): Clamp {
  const merged: Record<string, Clamp[string]> = { ...base };
  for (const [name, bounds] of Object.entries(changes)) {
    if (bounds === 'none') delete merged[name];
    else merged[name] = bounds;
  }
  return merged;
}
