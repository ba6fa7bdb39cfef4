import {
  createOpenAiChatDecoder,
  createOpenAiCompletionDecoder,
  createSseRelay,
  type SseRelay,
} from '../../wire/openai/index.ts';
import type { Call, Endpoint, Framing, Provider, StreamDecoder, StreamRule } from '../contract.ts';
import { providerTag } from './answer.ts';

/** How the events of a successful stream reach the client. */
export type OpenedStream =
  /** The bytes are sent as the relay gives them. */
  | { readonly kind: 'relay'; readonly relay: SseRelay }
  /** The frames are decoded into items, which the client's encoder writes. */
  | { readonly kind: 'decode'; readonly framing: Framing; readonly decoder: StreamDecoder };

/** Endpoints whose streams end with `[DONE]`, and their decoders for streams that are in the client's format already. */
const OPENAI_DECODERS: ReadonlyMap<string, (call: Call) => StreamDecoder> = new Map([
  ['chatComplete', (call: Call) => createOpenAiChatDecoder(call)],
  ['complete', (call: Call) => createOpenAiCompletionDecoder(call)],
]);

/**
 * Opens a stream of an endpoint; undefined when it does not stream. `items` asks for decoding where bytes would do: the
 * client wants usage, or an adapter writes another format. Streams of messages and responses in
 * the client's own format are relayed all the same.
 */
export function openStream(
  provider: Provider,
  endpoint: Endpoint,
  call: Call,
  { items }: { readonly items: boolean },
): OpenedStream | undefined {
  const rule = endpoint.stream;
  if (rule === undefined) return undefined;
  if (rule.kind === 'decode') return { kind: 'decode', framing: framingOf(rule, call), decoder: rule.open(call) };
  const openAi = OPENAI_DECODERS.get(call.endpoint);
  const { hidesUsage = false } = call;
  const relay = { terminated: openAi !== undefined, hidesUsage };
  if (rule.kind === 'relay') {
    const decoder = items ? openAi?.(call) : undefined;
    if (decoder !== undefined) return { kind: 'decode', framing: 'sse', decoder };
    return { kind: 'relay', relay: createSseRelay(relay) };
  }
  if (items || !call.strict) return { kind: 'decode', framing: 'sse', decoder: rule.open(call) };
  return { kind: 'relay', relay: createSseRelay({ ...relay, member: providerTag(provider) }) };
}

/** The framing of events in the stream of a call. */
export function framingOf({ framing }: Extract<StreamRule, { kind: 'decode' }>, call: Call): Framing {
  return typeof framing === 'function' ? framing(call) : framing;
}
