import type { Answer } from '../answer/index.ts';

/** The usage of one request that was answered once or several times; the prompt counts once. */
export function toUsage(answers: readonly Answer[]) {
  const prompt = answers[0]?.tokens.prompt ?? 0;
  const completion = answers.reduce((sum, answer) => sum + answer.tokens.completion, 0);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: answers.reduce((sum, answer) => sum + answer.tokens.thinking, 0),
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
