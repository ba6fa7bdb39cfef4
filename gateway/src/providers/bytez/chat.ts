/** Bytez's format of chats. */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { JsonObject, StreamDecoder, WireContext } from '../../wire/contract.ts';
import { objectAt, objectsAt, orAbsent, textAt, withoutAbsent } from '../../wire/json/json.ts';
import {
  ChatChunks,
  type ChatCompletion,
  type ChatMessage,
  type ContentPart,
  imageUrlOf,
  isForeignThought,
  isSystem,
  maxTokensOf,
  messagesOf,
  partsOf,
  textOfPart,
  toChatCompletion,
} from '../../wire/openai/index.ts';
import { taking } from '../../wire/params/params.ts';
import { refusePart } from '../../wire/parts/parts.ts';

/** The parameters that the call says; model and version are in the path. */
export const takesBytez = taking([
  ...['model', 'version', 'messages', 'max_tokens', 'max_completion_tokens', 'temperature', 'top_p'],
]);

/** The body. Throws UnsupportedPart. */
export function toBytezBody(params: JsonObject): JsonObject {
  const { temperature, top_p, stream } = params;
  return withoutAbsent({
    messages: messagesOf(params).map(toMessage),
    stream: stream === true ? true : undefined,
    params: orAbsent(withoutAbsent({ max_new_tokens: maxTokensOf(params), temperature, top_p })),
  });
}

function toMessage(message: ChatMessage): JsonObject {
  const parts = partsOf(message.content).filter((part) => !isForeignThought(part));
  const isText = parts.every(({ type }) => type !== 'image_url');
  return {
    role: isSystem(message) ? 'system' : message.role,
    content: isText ? parts.map(textOfPart).join('') : parts.map(toPart),
  };
}

const IMAGE_URL = /^(?:https?:\/\/|data:image\/[\w.+-]+;base64,)/i;

function toPart(part: ContentPart): JsonObject {
  if (part.type !== 'image_url') return { type: 'text', text: textOfPart(part) };
  const url = imageUrlOf(part);
  return url === undefined || !IMAGE_URL.test(url) ? refusePart(part) : { type: 'image', url };
}

/** An answer, which has no id, usage or finish reason; the error says why the body is none. */
export function fromBytez(body: unknown, ctx: WireContext): Result<ChatCompletion, string> {
  const output = isObject(body) ? objectAt(body, 'output') : undefined;
  const text = output === undefined ? undefined : contentOf(output);
  if (text === undefined) return err('the answer has no output');
  return ok(toChatCompletion({ choices: [{ text, finishReason: 'stop' }], usage: undefined }, ctx));
}

const contentOf = (output: JsonObject): string | undefined =>
  Array.isArray(output['content'])
    ? objectsAt(output, 'content')
        .map((part) => textAt(part, 'text') ?? '')
        .join('')
    : textAt(output, 'content');

/** A stream of plain text. */
export function createBytezDecoder(ctx: WireContext): StreamDecoder {
  const chunks = new ChatChunks(ctx);
  let opened = false;
  const open = () => {
    const opening = opened ? [] : [chunks.delta({ role: 'assistant', content: '' })];
    opened = true;
    return opening;
  };
  return {
    push: ({ data }) => [...open(), chunks.text(data, 0)],
    end: () => [...open(), chunks.finish('stop')],
  };
}
