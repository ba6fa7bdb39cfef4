/** Calls of the adapter, for its tests; programs do not import it. */

import type { Frame, JsonObject, StreamItem } from '../../../wire/contract.ts';
import { createOpenAiChatDecoder } from '../../../wire/openai/index.ts';
import type { Adaptation, AdapterContext } from '../index.ts';
import { responsesOverChat } from './index.ts';

/** Ids count up: `msg_1`, `fc_2` … */
export function sampleContext(over: Partial<AdapterContext> = {}): AdapterContext {
  let ids = 0;
  return {
    provider: 'acme',
    model: 'asked',
    has: () => undefined,
    now: () => 1_760_000_000_999,
    newId: (prefix) => {
      ids += 1;
      return `${prefix}${ids}`;
    },
    ...over,
  };
}

export const adapt = (params: JsonObject, over: Partial<AdapterContext> = {}): Adaptation =>
  responsesOverChat.adapt({ model: 'm', input: 'Hi', ...params }, sampleContext(over));

/** The items that the adapter makes of chat chunks, as the decoder of the OpenAI format reads them. */
export function streamed(params: JsonObject, frames: readonly Frame[]): readonly StreamItem[] {
  const context = { ...sampleContext(), strict: false, params };
  const decoder = createOpenAiChatDecoder(context);
  const adapter = adapt({ stream: true, ...params }).openStream();
  const items = [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
  return [...items.flatMap((item) => adapter.push(item)), ...adapter.end()];
}

/** The data of the events. */
export const eventsOf = (items: readonly StreamItem[]): readonly JsonObject[] =>
  items.flatMap((item) => (item.kind === 'chunk' ? [item.data as JsonObject] : []));
