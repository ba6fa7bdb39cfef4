import type { Answer } from '../answer/index.ts';
import type { Seed } from '../seed.ts';
import type { InputTokens } from './request.ts';

export type Message = ReturnType<typeof toMessage>;
export type ContentBlock = Message['content'][number];

export function toMessage(seed: Seed, model: string, answer: Answer, input: InputTokens) {
  return {
    id: seed.id('msg_'),
    type: 'message' as const,
    role: 'assistant' as const,
    model,
    content: toContent(seed, answer),
    stop_reason: toStopReason(answer),
    stop_sequence: answer.stoppedBy ?? null,
    usage: {
      input_tokens: input.plain,
      cache_creation_input_tokens: input.cacheWritten5m + input.cacheWritten1h,
      cache_read_input_tokens: input.cacheRead,
      cache_creation: {
        ephemeral_5m_input_tokens: input.cacheWritten5m,
        ephemeral_1h_input_tokens: input.cacheWritten1h,
      },
      output_tokens: answer.tokens.completion,
      service_tier: 'standard' as const,
    },
  };
}

function toContent(seed: Seed, { thinking, text, calls }: Answer) {
  const signature = Buffer.from(seed.id('mock-signature-')).toString('base64');
  return [
    ...(thinking === '' ? [] : [{ type: 'thinking' as const, thinking, signature }]),
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...calls.map((call, index) => ({
      type: 'tool_use' as const,
      id: seed.id('toolu_', index),
      name: call.name,
      input: call.input,
    })),
  ];
}

function toStopReason({ end, stoppedBy }: Answer) {
  if (end === 'calls') return 'tool_use' as const;
  if (end === 'length') return 'max_tokens' as const;
  return stoppedBy === undefined ? ('end_turn' as const) : ('stop_sequence' as const);
}
