/** `POST /v2/chat` over chat completions. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../../wire/contract.ts';
import { numberAt, objectAt, textAt, withoutAbsent } from '../../../wire/json/json.ts';
import { ChatStream } from '../chat-stream.ts';
import type { Door } from '../door.ts';
import { DroppedNames } from '../dropped-names.ts';
import { refuseShape } from '../refuse.ts';
import { flag, number, object, oneOf } from '../shape.ts';
import { toAnswer } from './answer.ts';
import { forOthers } from './for-others.ts';
import { toChatMessages } from './messages.ts';
import { CohereWriter } from './stream.ts';

/** Same name and meaning on both sides, or of Cohere alone: providers that do not have them report them. */
const SAME = [
  ...['model', 'temperature', 'seed', 'frequency_penalty', 'presence_penalty', 'documents', 'citation_options'],
  'safety_mode',
] as const;

export const cohereChat: Door = {
  vendorParams: ['documents', 'citation_options', 'safety_mode', 'thinking', 'top_k'],
  forOthers,
  enter: (given) => {
    checkRequest(given, '');
    const stream = given['stream'] ?? false;
    if (typeof stream !== 'boolean') return refuseShape('stream', 'true or false');
    return {
      params: {
        ...withoutAbsent({
          ...Object.fromEntries(SAME.map((name) => [name, given[name]])),
          messages: toChatMessages(given['messages']),
          max_completion_tokens: given['max_tokens'],
          stop: given['stop_sequences'],
          top_p: given['p'],
          top_k: given['k'],
          logprobs: given['logprobs'] === true ? true : undefined,
          response_format: toResponseFormat(given['response_format']),
          thinking: toThinking(objectAt(given, 'thinking')),
          ...toTools(given),
        }),
        ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
      },
      dropped: unreadOf(given),
      toClient: (answer) => toAnswer(answer),
      stream: { contentType: 'text/event-stream', open: () => new ChatStream(new CohereWriter()) },
    };
  },
};

const CHOICES: ReadonlyMap<unknown, string> = new Map([
  ['REQUIRED', 'required'],
  ['NONE', 'none'],
]);

/** Of what is read; others are checked where they are read. */
const checkRequest = object({
  logprobs: flag,
  strict_tools: flag,
  tool_choice: oneOf('REQUIRED or NONE', new Set(CHOICES.keys())),
  thinking: object({ token_budget: number }),
});
const checkFormat = object({ json_schema: object(), schema: object() });

const READ: ReadonlySet<string> = new Set([
  ...[...SAME, 'messages', 'stream', 'max_tokens', 'stop_sequences', 'p', 'k', 'logprobs', 'response_format'],
  ...['thinking', 'tools', 'tool_choice', 'strict_tools'],
]);

function unreadOf(given: JsonObject): readonly string[] {
  const dropped = new DroppedNames();
  dropped.addOthers(given, (name) => READ.has(name));
  return dropped.names;
}

function toTools({ tools, tool_choice: choice, strict_tools: strict }: JsonObject): JsonObject {
  if (tools === undefined || tools === null) return {};
  if (!Array.isArray(tools) || !tools.every(isObject)) return refuseShape('tools', 'a list of tools');
  if (tools.length === 0) return {};
  return {
    tools: strict === true ? tools.map(toStrict) : tools,
    tool_choice: CHOICES.get(choice),
  };
}

const toStrict = (tool: JsonObject): JsonObject => ({
  ...tool,
  function: { ...objectAt(tool, 'function'), strict: true },
});

function toResponseFormat(format: unknown): JsonObject | undefined {
  if (format === undefined || format === null) return undefined;
  if (!isObject(format)) return refuseShape('response_format', 'an object');
  checkFormat(format, 'response_format');
  if (format['type'] === 'text') return undefined;
  if (format['type'] !== 'json_object') return refuseShape('response_format.type', 'text or json_object');
  const schema = objectAt(format, 'json_schema') ?? objectAt(format, 'schema');
  return schema === undefined
    ? { type: 'json_object' }
    : { type: 'json_schema', json_schema: { name: 'response', schema } };
}

function toThinking(thinking: JsonObject | undefined): JsonObject | undefined {
  if (thinking === undefined) return undefined;
  const type = textAt(thinking, 'type') ?? refuseShape('thinking.type', 'enabled or disabled');
  return withoutAbsent({ type, budget_tokens: numberAt(thinking, 'token_budget') });
}
