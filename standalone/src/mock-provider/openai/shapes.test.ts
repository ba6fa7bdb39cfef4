import type OpenAI from 'openai';
import { expectTypeOf, test } from 'vitest';
import type { toChatCompletion } from './chat.ts';
import type { OutputItem, ResponseObject } from './responses/object.ts';

// Checked by the compiler: what we send has every member that the SDK promises to its users.
test('answers have the types of the SDK', () => {
  expectTypeOf<ReturnType<typeof toChatCompletion>>().toExtend<OpenAI.ChatCompletion>();
  expectTypeOf<OutputItem>().toExtend<OpenAI.Responses.ResponseOutputItem>();
  expectTypeOf<ResponseObject['usage']>().toExtend<OpenAI.Responses.ResponseUsage>();
});
