/** Hooks of mistral-ai. */
import { isObject } from '@gatehouse/crds';
import { withoutAbsent } from '../../../wire/json/json.ts';
import { MISTRAL_ID_MEMBERS, toMistralToolChoice, withMistralIds } from '../../../wire/mistral/mistral.ts';
import type { ContentPart, OpenAiDialect } from '../../../wire/openai/index.ts';
import type { BodyHook, Call } from '../../contract.ts';
import { editMessages, type RemoteFile } from '../../openai-like/index.ts';

export const mistralIds: BodyHook = editMessages({ signs: MISTRAL_ID_MEMBERS, apply: withMistralIds });

export const mistralToolChoice: BodyHook = (params) => {
  const given = params['tool_choice'];
  const choice = toMistralToolChoice(given);
  return choice === given ? params : { ...params, tool_choice: choice };
};

/** Documents at a URL have a part of their own; the id of an upload stands beside the type. */
export const mistralFile: RemoteFile = ({ id, url, name }): ContentPart | undefined => {
  if (id !== undefined) return { type: 'file', file_id: id };
  return url === undefined
    ? undefined
    : { type: 'document_url', ...withoutAbsent({ document_url: url, document_name: name }) };
};

const PREFIX = 'mistralai.';

/** Model names with the prefix of cloud providers. */
export const withoutModelPrefix: BodyHook = (params) => {
  const { model } = params;
  return typeof model === 'string' && model.startsWith(PREFIX)
    ? { ...params, model: model.slice(PREFIX.length) }
    : params;
};

export const FIM_PATH = '/fim/completions';

/** The path of chat; fill-in-the-middle when the target is set to it. */
export const chatPath = (call: Call): string =>
  call.fields.text('mistral_fim_completion') === 'true' ? FIM_PATH : '/chat/completions';

/** Fill-in-the-middle answers have the chat format; text completions need the text. */
export const fimCompletion: OpenAiDialect = {
  ownFinishReasons: true,
  body(body) {
    const { choices } = body;
    const texts: unknown = Array.isArray(choices) ? choices.map(toTextChoice) : choices;
    return { ...body, object: 'text_completion', choices: texts };
  },
};

function toTextChoice(choice: unknown): unknown {
  if (!isObject(choice)) return choice;
  const { message, delta, ...rest } = choice;
  const said = isObject(message) ? message : isObject(delta) ? delta : {};
  return { ...rest, text: typeof said['content'] === 'string' ? said['content'] : '', logprobs: null };
}
