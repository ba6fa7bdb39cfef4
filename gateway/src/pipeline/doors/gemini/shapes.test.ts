import { expect, test } from 'vitest';
import type { JsonObject } from '../../../wire/contract.ts';
import { geminiChat, geminiCount } from './index.ts';

const CONTEXT = { query: '', now: () => 0, elapsedMs: () => 2 };
const INLINE = { mimeType: 'image/png', data: 'AA==' };
const HELLO = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] };
const paramsOf = (given: JsonObject): JsonObject => geminiChat.enter({ ...HELLO, ...given }, CONTEXT).params;

test.for<[JsonObject, string]>([
  [{ tools: [{ googleSearch: 'x' }] }, 'tools[0].googleSearch'],
  [{ tools: [{ function_declarations: 'x' }] }, 'tools[0].functionDeclarations'],
  [{ tools: [{ functionDeclarations: ['x'] }] }, 'tools[0].functionDeclarations[0]'],
  [
    { tools: [{ functionDeclarations: [{ name: 'f', parameters: 'x' }] }] },
    'tools[0].functionDeclarations[0].parameters',
  ],
  [{ toolConfig: 5 }, 'toolConfig'],
  [{ toolConfig: { retrievalConfig: 'x' } }, 'toolConfig.retrievalConfig'],
  [{ toolConfig: { functionCallingConfig: { mode: 'x' } } }, 'toolConfig.functionCallingConfig.mode'],
  [{ generationConfig: 'x' }, 'generationConfig'],
  [{ generation_config: { thinking_config: 'x' } }, 'generationConfig.thinkingConfig'],
  [{ generationConfig: { thinkingConfig: { thinkingBudget: '1' } } }, 'generationConfig.thinkingConfig.thinkingBudget'],
  [{ generationConfig: { responseModalities: 'TEXT' } }, 'generationConfig.responseModalities'],
  [{ generationConfig: { responseModalities: ['IMAGE', { toString: 0 }] } }, 'generationConfig.responseModalities[1]'],
  [{ generationConfig: { responseSchema: 'x' } }, 'generationConfig.responseSchema'],
  [{ generationConfig: { stopSequences: { a: 1 } } }, 'generationConfig.stopSequences'],
  [{ contents: [{ parts: [{ text: 5 }] }] }, 'contents[0].parts[0].text'],
  [{ contents: [{ parts: [{ text: 'a', inlineData: INLINE }] }] }, 'contents[0].parts[0]'],
  [{ contents: [{ parts: [{ inline_data: 'x' }] }] }, 'contents[0].parts[0].inlineData'],
  [{ contents: [{ role: 'model', parts: [{ functionCall: { name: 5 } }] }] }, 'contents[0].parts[0].functionCall.name'],
  [{ contents: [{ role: 'model', parts: [{ functionCall: {} }] }] }, 'contents[0].parts[0].functionCall.name'],
  [{ contents: [{ parts: [{ functionResponse: 'x' }] }] }, 'contents[0].parts[0].functionResponse'],
  [{ systemInstruction: { parts: [{ text: 'a', inlineData: INLINE }] } }, 'systemInstruction.parts[0]'],
])('a member of another type is refused by its name: %j', ([given, param]) => {
  expect(() => paramsOf(given)).toThrow(expect.objectContaining({ code: 'PARAMETER_INVALID', param }));
});

test('a request whose tokens are counted is an object', () => {
  expect(() => geminiCount.enter({ ...HELLO, generateContentRequest: 'x' }, CONTEXT)).toThrow(
    expect.objectContaining({ param: 'generateContentRequest' }),
  );
});

test('members that are null, and one kind of part beside an empty text, are as good as absent', () => {
  const call = { functionCall: { name: 'f', args: null }, text: '', thoughtSignature: null };
  const image = { text: '', inlineData: INLINE };
  const contents = [
    { role: 'model', parts: [call, image] },
    { role: 'user', parts: [image] },
  ];
  const said = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } };
  const generationConfig = { thinkingConfig: null, stopSequences: 'x', responseSchema: null };
  expect(paramsOf({ contents, generationConfig, toolConfig: null, tools: [{ googleSearch: null }] })).toEqual({
    messages: [
      {
        role: 'assistant',
        content: [said],
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'user', content: [said] },
    ],
    stop: 'x',
  });
});
