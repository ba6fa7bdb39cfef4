import { type AnyFinishReason, toFinishReason } from '../openai/index.ts';

/** The unified reason: mapped for strict clients, the vendor's own word for others; a missing reason is `stop`. */
export function finishReasonOf(reason: string | undefined, strict: boolean): AnyFinishReason {
  if (reason === undefined) return 'stop';
  return strict ? toFinishReason(reason) : reason;
}
