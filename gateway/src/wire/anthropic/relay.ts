/** A messages stream decoded and re-encoded in its own format, for upstreams with another framing. */
import type { Frame, JsonObject, StreamDecoder, StreamItem, WireContext } from '../contract.ts';
import { objectAt, textAt } from '../json/json.ts';
import { INCOMPLETE_STREAM, parseJsonObject, toStreamError } from '../openai/index.ts';
import { anthropicErrorFields } from './errors.ts';
import { countsOf, NO_TOKENS, type TokenCounts, toUsage } from './usage.ts';

export interface RelayOptions {
  /** Members of events that the upstream adds to the format. */
  readonly dropMembers?: readonly string[];
}

/**
 * Emits every event under its own name, and the totals as one usage item after `message_stop`. A stream without
 * `message_stop` ends with an error item.
 */
export function createMessagesRelayDecoder(ctx: WireContext, options: RelayOptions = {}): StreamDecoder {
  return new MessagesRelay(ctx, new Set(options.dropMembers));
}

class MessagesRelay implements StreamDecoder {
  readonly #ctx: WireContext;
  readonly #dropped: ReadonlySet<string>;
  #counts: TokenCounts = NO_TOKENS;
  #closed = false;

  constructor(ctx: WireContext, dropped: ReadonlySet<string>) {
    this.#ctx = ctx;
    this.#dropped = dropped;
  }

  push(frame: Frame): readonly StreamItem[] {
    const event = parseJsonObject(frame.data);
    const type = textAt(event, 'type') ?? frame.event;
    if (event === undefined || type === undefined || this.#closed) return [];
    if (type === 'error') return this.#close(toStreamError(anthropicErrorFields(event), this.#ctx));
    this.#counts = countsOf(objectAt(event, 'usage') ?? objectAt(objectAt(event, 'message'), 'usage'), this.#counts);
    const chunk: StreamItem = { kind: 'chunk', event: type, data: this.#clean(event) };
    if (type !== 'message_stop') return [chunk];
    return [chunk, ...this.#close({ kind: 'usage', usage: toUsage(this.#counts) })];
  }

  end(): readonly StreamItem[] {
    return this.#closed ? [] : this.#close(INCOMPLETE_STREAM);
  }

  #clean(event: JsonObject): JsonObject {
    if (!Object.keys(event).some((key) => this.#dropped.has(key))) return event;
    return Object.fromEntries(Object.entries(event).filter(([key]) => !this.#dropped.has(key)));
  }

  #close(last: StreamItem): readonly StreamItem[] {
    this.#closed = true;
    return [last];
  }
}
