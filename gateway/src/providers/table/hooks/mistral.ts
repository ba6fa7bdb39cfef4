/** What the table cannot say about mistral-ai; spec/providers.md 3.9. */
import { createHash } from 'node:crypto';
import { isObject } from '@gatehouse/crds';
import type { OpenAiDialect } from '../../../wire/openai/index.ts';
import type { BodyHook, Call, JsonObject } from '../../contract.ts';
import { editMessages, type MessageEdit } from '../../openai-like/index.ts';
import { joinContentList } from './content-list.ts';

/** The upstream takes ids of nine letters and digits only. */
const ID = /^[A-Za-z0-9]{9}$/;

const toId = (id: string): string => (ID.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9));

const withId = (object: JsonObject, member: string): JsonObject => {
  const id = object[member];
  return typeof id !== 'string' || ID.test(id) ? object : { ...object, [member]: toId(id) };
};

const callIds: MessageEdit = (message) => {
  const calls: unknown = message['tool_calls'];
  if (!Array.isArray(calls)) return message;
  const edited: unknown[] = calls.map((call: unknown) => (isObject(call) ? withId(call, 'id') : call));
  return edited.some((call, i) => call !== calls[i]) ? { ...message, tool_calls: edited } : message;
};

/** One foreign id gives one id of ours, in the call and in its result. */
export const nineLetterIds: BodyHook = editMessages(callIds, (message) => withId(message, 'tool_call_id'));

/** OpenAI's `required` is called `any`. */
export const requiredAsAny: BodyHook = (params) =>
  params['tool_choice'] === 'required' ? { ...params, tool_choice: 'any' } : params;

const PREFIX = 'mistralai.';

/** Model names as clouds spell them. */
export const withoutModelPrefix: BodyHook = (params) => {
  const { model } = params;
  return typeof model === 'string' && model.startsWith(PREFIX)
    ? { ...params, model: model.slice(PREFIX.length) }
    : params;
};

const FIM_PATH = '/fim/completions';

/** Chat goes to fill-in-the-middle when the target says so. */
export const chatPath = (call: Call): string =>
  call.fields.text('mistral_fim_completion') === 'true' ? FIM_PATH : '/chat/completions';

export const mistralChat: OpenAiDialect = { ownFinishReasons: true, message: joinContentList };

/** Fill-in-the-middle answers as a chat; text completions want the text itself. */
export const fimCompletion: OpenAiDialect = {
  ownFinishReasons: true,
  body(body) {
    const choices: unknown = body['choices'];
    return {
      ...body,
      object: 'text_completion',
      choices: Array.isArray(choices) ? choices.map(toTextChoice) : choices,
    };
  },
};

function toTextChoice(choice: unknown): unknown {
  if (!isObject(choice)) return choice;
  const { message, delta, ...rest } = choice;
  const said = isObject(message) ? message : isObject(delta) ? delta : {};
  return { ...rest, text: typeof said['content'] === 'string' ? said['content'] : '', logprobs: null };
}

export { FIM_PATH };
