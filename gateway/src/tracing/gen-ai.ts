/**
 * What a call was asked with and how its answer ended, as attributes.
 * Source: OpenTelemetry's semantic conventions for generative AI, https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/
 */
import type { AttemptFacts } from '../record/index.ts';
import type { AttributeValue } from './span.ts';

type Given = Readonly<Record<string, AttributeValue | undefined>>;

export const callAttributes = ({ asked, ended }: Pick<AttemptFacts, 'asked' | 'ended'>): Given => ({
  'gen_ai.request.max_tokens': asked?.maxTokens,
  'gen_ai.request.temperature': asked?.temperature,
  'gen_ai.request.top_p': asked?.topP,
  'gen_ai.request.top_k': asked?.topK,
  'gen_ai.request.frequency_penalty': asked?.frequencyPenalty,
  'gen_ai.request.presence_penalty': asked?.presencePenalty,
  'gen_ai.request.seed': asked?.seed,
  'gen_ai.request.choice.count': asked?.choices,
  'gen_ai.request.stop_sequences': asked?.stop,
  'gen_ai.request.encoding_formats': asked?.encodings,
  'gen_ai.output.type': asked?.output,
  'gen_ai.conversation.id': asked?.conversation,
  'gen_ai.response.id': ended?.id,
  'gen_ai.response.finish_reasons': ended?.finishReasons.length === 0 ? undefined : ended?.finishReasons,
});
