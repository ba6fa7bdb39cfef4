import { describe, expect, test } from 'vitest';
import { bodyOf } from './testing.ts';

describe('Gemini tools', () => {
  const tool = (name: string, parameters?: object): object => ({
    type: 'function',
    function: { name, description: 'd', strict: true, ...(parameters && { parameters }) },
  });
  const toolsOf = (...tools: object[]): unknown => bodyOf({ messages: [], tools })['tools'];

  test.for([
    {
      rule: 'functions share one declaration list, their schemas cleaned',
      tools: [tool('f', { type: 'object', additionalProperties: false }), tool('g')],
      want: [
        {
          functionDeclarations: [
            { name: 'f', description: 'd', parameters: { type: 'object' } },
            { name: 'g', description: 'd' },
          ],
        },
      ],
    },
    { rule: 'search', tools: [tool('google_search')], want: [{ googleSearch: {} }] },
    {
      rule: 'search in a time range',
      tools: [tool('googleSearch', { timeRangeFilter: { startTime: 'a' } })],
      want: [{ googleSearch: { timeRangeFilter: { startTime: 'a' } } }],
    },
    {
      rule: 'search retrieval',
      tools: [tool('google_search_retrieval', { dynamicRetrievalConfig: { mode: 'm' } })],
      want: [{ googleSearchRetrieval: { dynamicRetrievalConfig: { mode: 'm' } } }],
    },
    {
      rule: 'computer use',
      tools: [tool('computer_use', { environment: 'E', excluded_predefined_functions: ['x'] })],
      want: [{ computerUse: { environment: 'E', excludedPredefinedFunctions: ['x'] } }],
    },
    {
      rule: 'maps beside a function',
      tools: [tool('googleMaps', { enableWidget: true }), tool('f')],
      want: [{ googleMaps: { enableWidget: true } }, { functionDeclarations: [{ name: 'f', description: 'd' }] }],
    },
    { rule: 'nothing that is no function', tools: [{ type: 'custom', custom: {} }], want: undefined },
  ])('are $rule', ({ tools, want }) => {
    expect(toolsOf(...tools)).toEqual(want);
  });

  test('put the place of a map search into the tool config', () => {
    const body = bodyOf({
      messages: [],
      tools: [tool('google_maps', { retrievalConfig: { latLng: { latitude: 1 } } })],
      tool_choice: 'auto',
    });
    expect(body['toolConfig']).toEqual({
      functionCallingConfig: { mode: 'AUTO' },
      retrievalConfig: { latLng: { latitude: 1 } },
    });
  });

  test.for([
    { choice: 'auto', want: { mode: 'AUTO' } },
    { choice: 'none', want: { mode: 'NONE' } },
    { choice: 'required', want: { mode: 'ANY' } },
    { choice: { type: 'function', function: { name: 'f' } }, want: { mode: 'ANY', allowedFunctionNames: ['f'] } },
    { choice: 'unheard of', want: undefined },
    { choice: null, want: undefined },
  ])('choose $choice', ({ choice, want }) => {
    const config = bodyOf({ messages: [], tool_choice: choice })['toolConfig'];
    expect(config).toEqual(want && { functionCallingConfig: want });
  });
});
