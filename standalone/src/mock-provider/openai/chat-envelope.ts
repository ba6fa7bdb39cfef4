import type { Answer } from '../answer/index.ts';

/** The members that all choices and chunks of one answer share. */
export interface ChatEnvelope {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  /** How many alternatives each token gets; nothing when log probabilities were not asked for. */
  readonly topLogprobs: number | undefined;
  readonly callId: (choice: number, call: number) => string;
}

export function toFinishReason(answer: Answer): 'stop' | 'length' | 'tool_calls' {
  return answer.end === 'calls' ? 'tool_calls' : answer.end;
}
