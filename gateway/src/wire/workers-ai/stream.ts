/** Streams of Workers AI: `{response, tool_calls?, usage?}`, then `[DONE]`. */
import type { Frame, JsonObject, StreamDecoder, StreamItem, Usage, WireContext } from '../contract.ts';
import {
  ChatChunks,
  createOpenAiChatDecoder,
  INCOMPLETE_STREAM,
  parseJsonObject,
  readErrorShape,
  TextChunks,
  toStreamError,
  toUsage,
} from '../openai/index.ts';
import { responseText, toolCallsOf } from './answer.ts';

type Items = readonly StreamItem[];

/** Makes the items of the client's format. */
interface Writer {
  piece(event: JsonObject, text: string): Items;
  finish(): Items;
}

const END = '[DONE]';

/** Chat chunks; newer models stream the OpenAI format, which their first event shows. */
export function createWorkersAiChatDecoder(ctx: WireContext): StreamDecoder {
  let decoder: StreamDecoder | undefined;
  return {
    push(frame) {
      decoder ??= Array.isArray(parseJsonObject(frame.data)?.['choices'])
        ? createOpenAiChatDecoder(ctx)
        : createDecoder(ctx, chatWriter(ctx));
      return decoder.push(frame);
    },
    end: () => decoder?.end() ?? [INCOMPLETE_STREAM],
  };
}

/** Text completion chunks. */
export function createWorkersAiCompletionDecoder(ctx: WireContext): StreamDecoder {
  const chunks = new TextChunks(ctx);
  return createDecoder(ctx, {
    piece: (_, text) => (text === '' ? [] : [chunks.item({ text })]),
    finish: () => [chunks.item({ text: '', finishReason: 'stop' })],
  });
}

function chatWriter(ctx: WireContext): Writer {
  const chunks = new ChatChunks(ctx);
  let opened = false;
  let calls = 0;
  return {
    piece(event, text) {
      const opening = opened ? [] : [chunks.delta({ role: 'assistant', content: '' })];
      opened = true;
      const tools = toolCallsOf(event, ctx).map((call) => {
        const delta = { tool_calls: [{ index: calls, ...call }] };
        calls += 1;
        return chunks.delta(delta);
      });
      return [...opening, ...(text === '' ? [] : [chunks.text(text, 0)]), ...tools];
    },
    finish: () => [chunks.finish(calls > 0 ? 'tool_calls' : 'stop')],
  };
}

function createDecoder(ctx: WireContext, writer: Writer): StreamDecoder {
  let usage: Usage | undefined;
  let closed = false;
  const close = (last: Items): Items => {
    closed = true;
    return last;
  };
  const read = (event: JsonObject): Items => {
    const text = responseText(event);
    usage = toUsage(event['usage']) ?? usage;
    if (text !== undefined || event['tool_calls'] !== undefined) return writer.piece(event, text ?? '');
    const error = readErrorShape(event);
    return error === undefined ? [] : close([toStreamError(error, ctx)]);
  };
  return {
    push({ data }: Frame) {
      if (closed) return [];
      if (data.trim() === END) {
        return close([...writer.finish(), ...(usage === undefined ? [] : [{ kind: 'usage', usage } as const])]);
      }
      const event = parseJsonObject(data);
      return event === undefined ? [] : read(event);
    },
    end: () => (closed ? [] : close([INCOMPLETE_STREAM])),
  };
}
