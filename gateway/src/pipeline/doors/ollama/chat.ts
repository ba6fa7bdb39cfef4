/** `POST /api/chat` and `POST /api/generate` over chat completions. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../../wire/contract.ts';
import { textAt } from '../../../wire/json/json.ts';
import { ChatStream } from '../chat-stream.ts';
import type { Door, DoorContext, Entered } from '../door.ts';
import { DroppedNames } from '../dropped-names.ts';
import { refuseParameter, refuseShape } from '../refuse.ts';
import { chatShape, generateShape, type Shape, toAnswer } from './answer.ts';
import { asks, chatForOthers, MERGED_PARAMS, OF_SERVER, promptForOthers } from './for-others.ts';
import { toImageParts } from './images.ts';
import { toChatMessages } from './messages.ts';
import { toSettings } from './settings.ts';
import { LineWriter } from './stream.ts';

const LINES = 'application/x-ndjson';

/** Clients of Ollama send them by habit, and OpenAI refuses them. */
const VENDOR_PARAMS = ['top_k', 'think'];

export const ollamaChat: Door = {
  ownEndpoint: 'ollamaChat',
  vendorParams: VENDOR_PARAMS,
  mergedParams: MERGED_PARAMS,
  isCacheable: asksModel,
  forOthers: chatForOthers,
  enter: (given, context) =>
    entered(given, {
      context,
      shape: chatShape,
      more: { messages: toChatMessages(given['messages']), ...toTools(given) },
    }),
};

export const ollamaGenerate: Door = {
  ownEndpoint: 'ollamaChat',
  vendorParams: VENDOR_PARAMS,
  mergedParams: MERGED_PARAMS,
  isCacheable: asksModel,
  forOthers: promptForOthers,
  enter: (given, context) =>
    entered(given, { context, shape: generateShape, more: { messages: promptMessages(given) } }),
};

/** Without messages a server loads or unloads its model. */
function asksModel({ messages }: JsonObject): boolean {
  return Array.isArray(messages) && messages.length > 0;
}

interface Parts {
  readonly context: DoorContext;
  readonly shape: Shape;
  /** Parameters beside the settings. */
  readonly more: JsonObject;
}

function entered(given: JsonObject, { context, shape, more }: Parts): Entered {
  const dropped = new DroppedNames();
  const params = toSettings(given);
  dropped.addOthers(given, (name) => READ.has(name) || !asks(given[name]));
  const options = { model: textAt(given, 'model') ?? '', shape, context };
  return {
    params: { ...params, ...more },
    dropped: dropped.names,
    toClient: (answer) => toAnswer(answer, options),
    stream: { contentType: LINES, open: () => new ChatStream(new LineWriter(options)) },
  };
}

/** What is read or refused; an answer can do without the rest. */
const READ: ReadonlySet<string> = new Set([
  ...[
    'model',
    'messages',
    'tools',
    'stream',
    'format',
    'options',
    'think',
    'prompt',
    'system',
    'images',
    'suffix',
    'raw',
    'logprobs',
    'top_logprobs',
  ],
  ...OF_SERVER,
]);

function toTools({ tools }: JsonObject): JsonObject {
  if (tools === undefined || tools === null) return {};
  if (!Array.isArray(tools) || !tools.every(isObject)) return refuseShape('tools', 'a list of tools');
  return tools.length === 0 ? {} : { tools };
}

function promptMessages(given: JsonObject): readonly object[] {
  for (const name of ['suffix', 'raw']) {
    if (asks(given[name])) refuseParameter(name, 'a prompt is asked as a chat, which has no such thing; leave it out');
  }
  const prompt = given['prompt'] ?? '';
  const system = given['system'] ?? '';
  if (typeof prompt !== 'string') return refuseShape('prompt', 'a text');
  if (typeof system !== 'string') return refuseShape('system', 'a text');
  const images = toImageParts(given['images'], 'images');
  if (prompt === '' && images.length === 0) return [];
  const content = images.length === 0 ? prompt : [{ type: 'text', text: prompt }, ...images];
  return [...(system === '' ? [] : [{ role: 'system', content: system }]), { role: 'user', content }];
}
