/** Vectors of prompts for the response cache: embeddings within a request; docs/behaviour/caching.md#answers-to-similar-prompts. */
import { isObject } from '@gatehouse/crds';
import { toUnit } from '../cache/index.ts';
import { Cancellation } from '../lib/cancellation.ts';
import type { AttemptPorts, EmbedPrompt } from './attempt/index.ts';
import { callAccount } from './inner-call.ts';
import { OPERATIONS, type Operation } from './operations/index.ts';

/** No guardrail looks at the prompt again. */
const { checkedAs: _, ...EMBEDDING }: Operation = OPERATIONS.embed;

/** A request waits no longer for the vector of its prompt. */
const MAX_WAIT_MS = 5_000;

/** `attempts`: those that requests are made with, which exist when the first prompt comes. */
export function createEmbedPrompt(attempts: () => AttemptPorts): EmbedPrompt {
  return async (input, { model: asked, text }) => {
    const call = new Cancellation();
    const { signal } = input.exchange;
    const giveUp = (): void => call.cancel(signal.reason);
    const timer = setTimeout(() => call.cancel(new Error('The vector of the prompt took too long')), MAX_WAIT_MS);
    signal.onCancel(giveUp);
    try {
      const bodyOf = (model: string) => ({ model, input: text, encoding_format: 'float' });
      const answer = await callAccount(attempts(), {
        ...{ input, operation: EMBEDDING, model: asked, bodyOf, signal: call },
      });
      return answer.kind === 'answer' ? toUnit(vectorOf(answer.value)) : undefined;
    } finally {
      clearTimeout(timer);
      signal.offCancel(giveUp);
    }
  };
}

function vectorOf(answer: Readonly<Record<string, unknown>> | undefined): unknown {
  const data = answer?.['data'];
  const first: unknown = Array.isArray(data) ? data[0] : undefined;
  return isObject(first) ? first['embedding'] : undefined;
}
