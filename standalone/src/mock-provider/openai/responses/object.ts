import type { Answer } from '../../answer/index.ts';
import { type JsonObject, readObject } from '../../json.ts';
import type { Seed } from '../../seed.ts';

export type ResponseObject = ReturnType<typeof toResponseObject>;
export type OutputItem = ReturnType<typeof toOutput>[number];

/** Settings that the answer repeats from the request, with the defaults of the API. */
const SETTINGS = {
  background: false,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  parallel_tool_calls: true,
  previous_response_id: null,
  prompt_cache_key: null,
  safety_identifier: null,
  store: true,
  temperature: 1,
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
  metadata: {},
} as const;

export function toResponseObject(seed: Seed, model: string, body: JsonObject, answer: Answer) {
  const isCut = answer.end === 'length';
  return {
    id: seed.id('resp_'),
    object: 'response' as const,
    created_at: seed.createdSeconds,
    status: isCut ? ('incomplete' as const) : ('completed' as const),
    completed_at: isCut ? null : seed.createdSeconds,
    error: null,
    incomplete_details: isCut ? { reason: 'max_output_tokens' as const } : null,
    model,
    output: toOutput(seed, body, answer),
    ...Object.fromEntries(Object.entries(SETTINGS).map(([key, usual]) => [key, body[key] ?? usual])),
    reasoning: { effort: null, summary: null, ...readObject(body, 'reasoning') },
    service_tier: 'default' as const,
    text: { format: { type: 'text' }, ...readObject(body, 'text') },
    usage: toResponseUsage(answer),
  };
}

function toOutput(seed: Seed, body: JsonObject, answer: Answer) {
  const calls = answer.calls.map((call, index) => ({
    id: seed.id('fc_', index),
    type: 'function_call' as const,
    status: 'completed' as const,
    call_id: seed.id('call_', index),
    name: call.name,
    arguments: call.json,
  }));
  return [...toReasoning(seed, body, answer), ...(calls.length > 0 ? calls : [toMessage(seed, answer)])];
}

function toReasoning(seed: Seed, body: JsonObject, { thinking }: Answer) {
  if (thinking === '') return [];
  const isSummaryWished = readObject(body, 'reasoning')?.['summary'] != null;
  const summary = isSummaryWished ? [{ type: 'summary_text' as const, text: thinking }] : [];
  return [{ id: seed.id('rs_'), type: 'reasoning' as const, summary }];
}

function toMessage(seed: Seed, { text, end }: Answer) {
  return {
    id: seed.id('msg_'),
    type: 'message' as const,
    status: end === 'length' ? ('incomplete' as const) : ('completed' as const),
    role: 'assistant' as const,
    content: [{ type: 'output_text' as const, text, annotations: [], logprobs: [] }],
  };
}

function toResponseUsage({ tokens }: Answer) {
  return {
    input_tokens: tokens.prompt,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: tokens.completion,
    output_tokens_details: { reasoning_tokens: tokens.thinking },
    total_tokens: tokens.prompt + tokens.completion,
  };
}
