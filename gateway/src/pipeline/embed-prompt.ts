/** Vectors of prompts for the response cache: embeddings within a request; docs/behaviour/caching.md#answers-to-similar-prompts. */
import { isObject } from '@gatehouse/crds';
import { LRUCache } from 'lru-cache';
import { toUnit } from '../cache/index.ts';
import { Cancellation } from '../lib/cancellation.ts';
import type { AttemptPorts, EmbedPrompt } from './attempt/index.ts';
import type { Exchange } from './exchange.ts';
import { callAccount } from './inner-call.ts';
import { OPERATIONS, type Operation } from './operations/index.ts';

/** No guardrail looks at the prompt again. */
const { checkedAs: _, ...EMBEDDING }: Operation = OPERATIONS.embed;

/** A request waits no longer for the vector of its prompt. */
const MAX_WAIT_MS = 5_000;
/** A model that took too long is left alone for that long, by its workspace. */
const LEFT_ALONE_MS = 10_000;
const MAX_LEFT_ALONE = 1_000;

export interface EmbedPromptOptions {
  /** Those that requests are made with, which exist when the first prompt comes. */
  readonly attempts: () => AttemptPorts;
  /** That models are asked for; undefined: as many as they make. */
  readonly dimensions?: number | undefined;
  /** Unix time in ms. */
  now(): number;
}

/** One call for each prompt and model of a request, however many targets look it up. */
export function createEmbedPrompt({ attempts, dimensions, now }: EmbedPromptOptions): EmbedPrompt {
  const asked = new WeakMap<Exchange, Map<string, ReturnType<EmbedPrompt>>>();
  const slow = new LRUCache<string, number>({ max: MAX_LEFT_ALONE });

  const embed: EmbedPrompt = async (input, { model, text }) => {
    const place = JSON.stringify([input.caller.workspace.name, model]);
    if (now() < (slow.get(place) ?? 0)) return undefined;
    const call = new Cancellation();
    const { signal } = input.exchange;
    const giveUp = (): void => call.cancel(signal.reason);
    const timer = setTimeout(() => {
      slow.set(place, now() + LEFT_ALONE_MS);
      call.cancel(new Error('The vector of the prompt took too long'));
    }, MAX_WAIT_MS);
    signal.onCancel(giveUp);
    try {
      const more = dimensions === undefined ? undefined : { dimensions };
      const bodyOf = (name: string) => ({ model: name, input: text, encoding_format: 'float', ...more });
      const answer = await callAccount(attempts(), { input, operation: EMBEDDING, model, bodyOf, signal: call });
      return answer.kind === 'answer' ? toUnit(vectorOf(answer.value)) : undefined;
    } catch {
      return undefined; // the request does without
    } finally {
      clearTimeout(timer);
      signal.offCancel(giveUp);
    }
  };
  return (input, prompt) => {
    const known = asked.get(input.exchange) ?? new Map<string, ReturnType<EmbedPrompt>>();
    asked.set(input.exchange, known);
    const key = JSON.stringify([prompt.model, prompt.text]);
    const vector = known.get(key) ?? embed(input, prompt);
    known.set(key, vector);
    return vector;
  };
}

function vectorOf(answer: Readonly<Record<string, unknown>> | undefined): unknown {
  const data = answer?.['data'];
  const first: unknown = Array.isArray(data) ? data[0] : undefined;
  return isObject(first) ? first['embedding'] : undefined;
}
