import type { AnyFinishReason, FinishReason } from './chat.ts';

const rows = (to: FinishReason, ...from: string[]): [string, FinishReason][] => from.map((word) => [word, to]);

/**
 * Finish reasons of every upstream, in lower case: no two upstreams use the same one with different meanings, so one
 * table suffices.
 */
const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ...rows(
    'stop',
    'stop',
    'eos',
    'end_turn',
    'stop_sequence',
    'pause_turn',
    'finished',
    'stop_criteria_met',
    'complete',
  ),
  ...rows(
    'stop',
    'error',
    'timeout',
    'insufficient_system_resource',
    'recitation',
    'other',
    'finish_reason_unspecified',
  ),
  ...rows('stop', 'malformed_function_call', 'rag_query_when_rag_disabled'),
  ...rows('length', 'length', 'max_tokens', 'model_length', 'model_context_window_exceeded', 'context'),
  ...rows('tool_calls', 'tool_calls', 'tool_use', 'tool_call'),
  ...rows('function_call', 'function_call'),
  ...rows(
    'content_filter',
    'content_filter',
    'content_filtered',
    'guardrail_intervened',
    'refusal',
    'safety',
    'language',
  ),
  ...rows('content_filter', 'blocklist', 'prohibited_content', 'spii', 'image_safety'),
]);

/** The OpenAI finish reason for any upstream's; `stop` for an unknown one. */
export function toFinishReason(reason: string): FinishReason {
  return REASONS.get(reason.toLowerCase()) ?? 'stop';
}

/** The unified reason: mapped in strict answers, else the vendor's own; a missing reason is `stop`. */
export function finishReasonOf(reason: string | undefined, strict: boolean): AnyFinishReason {
  if (reason === undefined) return 'stop';
  return strict ? toFinishReason(reason) : reason;
}
