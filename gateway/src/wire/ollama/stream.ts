/** Lines of Ollama's chat as chat chunks. */
import type { Frame, JsonObject, StreamDecoder, StreamItem, WireContext } from '../contract.ts';
import { objectAt, objectsAt, textAt } from '../json/json.ts';
import {
  ChatChunks,
  type ChatDelta,
  INCOMPLETE_STREAM,
  parseJsonObject,
  readErrorShape,
  toStreamError,
} from '../openai/index.ts';
import { logprobsOf, reasonOf, saysSomething, timingsOf, toToolCalls, usageOf } from './answer.ts';

type Items = readonly StreamItem[];

const NO_ITEMS: Items = [];

/** A stream that ends before its last line, or has a line that is no JSON, ends with an error item. */
export function createOllamaDecoder(ctx: WireContext): StreamDecoder {
  return new OllamaDecoder(ctx);
}

const UNREADABLE = { message: 'a line of the stream is not JSON', type: 'stream_error', param: null, code: null };

class OllamaDecoder implements StreamDecoder {
  readonly #ctx: WireContext;
  readonly #chunks: ChatChunks;
  #hasBegun = false;
  #calls = 0;
  #saysSomething = false;
  #isClosed = false;

  constructor(ctx: WireContext) {
    this.#ctx = ctx;
    this.#chunks = new ChatChunks(ctx);
  }

  push({ data }: Frame): Items {
    if (this.#isClosed) return NO_ITEMS;
    const line = parseJsonObject(data);
    if (line === undefined) return this.#close([toStreamError(UNREADABLE, this.#ctx)]);
    if ((line['error'] ?? undefined) !== undefined)
      return this.#close([toStreamError(readErrorShape(line), this.#ctx)]);
    const said = this.#say(line);
    return line['done'] === true ? this.#close([...said, ...this.#finish(line)]) : said;
  }

  end(): Items {
    return this.#isClosed ? NO_ITEMS : this.#close([INCOMPLETE_STREAM]);
  }

  #say(line: JsonObject): Items {
    const message = objectAt(line, 'message');
    const content = textAt(message, 'content') ?? '';
    const thinking = textAt(message, 'thinking') ?? '';
    const calls = message === undefined ? [] : toToolCalls(message, this.#ctx);
    const first: ChatDelta = this.#hasBegun ? {} : { role: 'assistant' };
    const delta: ChatDelta = {
      ...first,
      ...(content === '' && this.#hasBegun ? {} : { content }),
      ...(thinking === '' ? {} : { reasoning_content: thinking }),
      ...(calls.length === 0 ? {} : { tool_calls: calls.map((call, i) => ({ index: this.#calls + i, ...call })) }),
    };
    this.#hasBegun = true;
    this.#saysSomething ||= saysSomething(message);
    this.#calls += calls.length;
    const logprobs = logprobsOf(line);
    if (Object.keys(delta).length === 0 && logprobs === null) return NO_ITEMS;
    return [withMembers(this.#chunks.delta(delta), logprobs === null ? {} : { logprobs })];
  }

  #finish(line: JsonObject): Items {
    const last = this.#chunks.finish(reasonOf(line, this.#calls > 0, this.#ctx));
    const finish = last.kind === 'chunk' ? { ...last, data: { ...last.data, ...timingsOf(line, this.#ctx) } } : last;
    const usage = usageOf(line, this.#saysSomething);
    return usage === undefined ? [finish] : [finish, { kind: 'usage', usage }];
  }

  #close(last: Items): Items {
    this.#isClosed = true;
    return last;
  }
}

/** `members`: of its choice. */
function withMembers(item: StreamItem, members: JsonObject): StreamItem {
  if (item.kind !== 'chunk' || Object.keys(members).length === 0) return item;
  const choices = objectsAt({ ...item.data }, 'choices').map((choice) => ({ ...choice, ...members }));
  return { ...item, data: { ...item.data, choices } };
}
