import { type FinishReason, toFinishReason } from '../../../wire/openai/index.ts';

export type StopReason = 'end_turn' | 'max_tokens' | 'refusal' | 'tool_use';

const STOP_REASONS: Readonly<Record<FinishReason, StopReason>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  content_filter: 'refusal',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
};

export interface Finish {
  /** Of the chat, or the provider's own. */
  readonly reason: string | undefined;
  readonly calledTools: boolean;
  readonly refused: boolean;
}

/** Providers also say `stop` after calls of tools, for one when the request named the tool, and after a refusal. */
export function toStopReason({ reason, calledTools, refused }: Finish): StopReason {
  const mapped = STOP_REASONS[toFinishReason(reason ?? 'stop')];
  if (mapped !== 'end_turn') return mapped;
  if (calledTools) return 'tool_use';
  return refused ? 'refusal' : mapped;
}
