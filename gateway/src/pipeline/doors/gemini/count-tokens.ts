/** `:countTokens` over the count of chat completions. */
import { numberAt } from '../../../wire/json/json.ts';
import type { Door } from '../door.ts';
import { objectOf } from './members.ts';
import { toChatParams } from './request.ts';

export const geminiCount: Door = {
  enter: (given) => ({
    params: toChatParams(objectOf(given, 'generateContentRequest') ?? given),
    dropped: [],
    toClient: (answer) => ({ totalTokens: numberAt(answer, 'input_tokens') ?? 0 }),
  }),
};
