import { deepFreeze } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../contract.ts';
import { UnsupportedPart } from '../parts/parts.ts';
import { unlessRefused } from '../parts/testing.ts';
import { remoteMediaOf } from './media.ts';
import { type GeminiRequestOptions, toGeminiBody } from './request.ts';

const VERTEX: GeminiRequestOptions = { model: 'gemini-2.0-flash', safetyMember: 'safety_settings', labels: true };

const bodyOf = (params: object, over: Partial<GeminiRequestOptions> = {}): JsonObject =>
  toGeminiBody(deepFreeze(params) as JsonObject, { ...VERTEX, ...over });

const partsOfUser = (part: object, over: Partial<GeminiRequestOptions> = {}): unknown =>
  bodyOf({ messages: [{ role: 'user', content: [part] }] }, over)['contents'];

const user = (...parts: object[]): object => ({ role: 'user', parts });
const model = (...parts: object[]): object => ({ role: 'model', parts });
const text = (value: string): object => ({ text: value });

describe('Gemini turns', () => {
  test.for([
    {
      rule: 'all system and developer texts, in order, become the system instruction',
      messages: [
        { role: 'system', content: 'S1' },
        { role: 'user', content: 'hi' },
        {
          role: 'developer',
          content: [
            { type: 'text', text: 'S2' },
            { type: 'text', text: 'S3' },
          ],
        },
      ],
      want: { systemInstruction: { parts: [text('S1'), text('S2'), text('S3')] }, contents: [user(text('hi'))] },
    },
    {
      rule: 'an early model gets system messages as turns',
      model: 'gemini-1.0-pro-001',
      messages: [
        { role: 'system', content: 'S1' },
        { role: 'user', content: 'hi' },
      ],
      want: { contents: [user(text('S1'), text('hi'))] },
    },
    {
      rule: 'turns of one role are merged',
      messages: [
        { role: 'user', content: 'a' },
        { role: 'user', content: 'b' },
        { role: 'assistant', content: 'c' },
        { role: 'assistant', content: 'd' },
      ],
      want: { contents: [user(text('a'), text('b')), model(text('c'), text('d'))] },
    },
    {
      rule: 'but not for vision models',
      model: 'gemini-1.0-ultra-vision',
      messages: [
        { role: 'user', content: 'a' },
        { role: 'user', content: 'b' },
      ],
      want: { contents: [user(text('a')), user(text('b'))] },
    },
    {
      rule: 'empty texts are left out, a refusal is text',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: '' },
            { type: 'refusal', refusal: 'no' },
            { type: 'text', text: 'x' },
          ],
        },
        { role: 'assistant', content: null },
      ],
      want: { contents: [user(text('no'), text('x'))] },
    },
    {
      rule: 'text is kept together with tool calls, empty arguments are an empty object',
      messages: [
        {
          role: 'assistant',
          content: 'let me look',
          tool_calls: [
            { id: 't1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
            { id: 't2', type: 'function', function: { name: 'g', arguments: '' } },
          ],
        },
      ],
      want: {
        contents: [
          model(
            text('let me look'),
            { functionCall: { name: 'f', args: { a: 1 } } },
            { functionCall: { name: 'g', args: {} } },
          ),
        ],
      },
    },
    {
      rule: 'a kept thought signature goes back',
      messages: [
        {
          role: 'assistant',
          tool_calls: [
            { id: 't1', type: 'function', function: { name: 'f', arguments: '{}', thought_signature: 'sig' } },
          ],
        },
      ],
      want: { contents: [model({ functionCall: { name: 'f', args: {} }, thoughtSignature: 'sig' })] },
    },
    {
      rule: 'a later model gets the literal for a signature that was not kept',
      model: 'gemini-3-pro-preview',
      messages: [
        { role: 'assistant', tool_calls: [{ id: 't1', type: 'function', function: { name: 'f', arguments: '{}' } }] },
      ],
      want: {
        contents: [
          model({ functionCall: { name: 'f', args: {} }, thoughtSignature: 'skip_thought_signature_validator' }),
        ],
      },
    },
    {
      rule: 'a tool result is named by its call, joined, or taken as an object',
      messages: [
        { role: 'assistant', tool_calls: [{ id: 't1', type: 'function', function: { name: 'f', arguments: '{}' } }] },
        {
          role: 'tool',
          tool_call_id: 't1',
          content: [
            { type: 'text', text: '4' },
            { type: 'text', text: '2' },
          ],
        },
        { role: 'tool', tool_call_id: 't1', content: '{"ok":true}' },
        { role: 'function', name: 'named', content: 'x' },
        { role: 'tool', tool_call_id: 'unknown', content: '' },
      ],
      want: {
        contents: [
          model({ functionCall: { name: 'f', args: {} } }),
          user(
            { functionResponse: { name: 'f', response: { content: '42' } } },
            { functionResponse: { name: 'f', response: { ok: true } } },
            { functionResponse: { name: 'named', response: { content: 'x' } } },
            { functionResponse: { name: 'gateway-tool-filler-name', response: { content: '' } } },
          ),
        ],
      },
    },
    { rule: 'no messages give no turns', messages: undefined, want: { contents: [] } },
  ])('$rule', ({ messages, model: name, want }) => {
    expect(bodyOf({ messages }, name === undefined ? {} : { model: name })).toEqual(want);
  });
});

describe('Gemini media', () => {
  const PNG = 'data:image/png;base64,aGk=';

  test.for([
    {
      rule: 'a data URL is inline',
      part: { type: 'image_url', image_url: { url: PNG, media_resolution: 'MEDIA_RESOLUTION_LOW' } },
      want: { inlineData: { mimeType: 'image/png', data: 'aGk=' }, mediaResolution: 'MEDIA_RESOLUTION_LOW' },
    },
    {
      rule: 'the short spelling too',
      part: { type: 'image_url', image_url: PNG },
      want: { inlineData: { mimeType: 'image/png', data: 'aGk=' } },
    },
    {
      rule: 'a bucket address is linked, typed by its extension',
      part: { type: 'image_url', image_url: { url: 'gs://b/a.webp?x=.png' } },
      want: { fileData: { mimeType: 'image/webp', fileUri: 'gs://b/a.webp?x=.png' } },
    },
    {
      rule: 'a web address is linked, typed by the client',
      part: { type: 'image_url', image_url: { url: 'https://x.example/a', mime_type: 'image/heic' } },
      want: { fileData: { mimeType: 'image/heic', fileUri: 'https://x.example/a' } },
    },
    {
      rule: 'an address of unknown type has none',
      part: { type: 'image_url', image_url: { url: 'https://x.example/a' } },
      want: { fileData: { fileUri: 'https://x.example/a' } },
    },
    {
      rule: 'anything else is bare base64 of a JPEG',
      part: { type: 'image_url', image_url: { url: '/9j/4AAQ' } },
      want: { inlineData: { mimeType: 'image/jpeg', data: '/9j/4AAQ' } },
    },
    {
      rule: 'mp3',
      part: { type: 'input_audio', input_audio: { data: 'AA', format: 'mp3' } },
      want: { inlineData: { mimeType: 'audio/mp3', data: 'AA' } },
    },
    {
      rule: 'pcm16',
      part: { type: 'input_audio', input_audio: { data: 'AA', format: 'pcm16' } },
      want: { inlineData: { mimeType: 'audio/pcm', data: 'AA' } },
    },
    {
      rule: 'x-m4a',
      part: { type: 'input_audio', input_audio: { data: 'AA', format: 'x-m4a' } },
      want: { inlineData: { mimeType: 'audio/m4a', data: 'AA' } },
    },
    {
      rule: 'x-aac',
      part: { type: 'input_audio', input_audio: { data: 'AA', format: 'x-aac' } },
      want: { inlineData: { mimeType: 'audio/aac', data: 'AA' } },
    },
    {
      rule: 'a full type',
      part: { type: 'input_audio', input_audio: { data: 'AA', format: 'audio/amr' } },
      want: { inlineData: { mimeType: 'audio/amr', data: 'AA' } },
    },
    {
      rule: 'file data with its type',
      part: { type: 'file', file: { file_data: 'data:text/csv;base64,YQ==' } },
      want: { inlineData: { mimeType: 'text/csv', data: 'YQ==' } },
    },
    {
      rule: 'file data typed by its name',
      part: { type: 'file', file: { file_data: 'YQ==', filename: 'notes.txt' } },
      want: { inlineData: { mimeType: 'text/plain', data: 'YQ==' } },
    },
    {
      rule: 'file data of unknown type is a PDF',
      part: { type: 'file', file: { file_data: 'YQ==' } },
      want: { inlineData: { mimeType: 'application/pdf', data: 'YQ==' } },
    },
    {
      rule: 'a file by its address',
      part: { type: 'file', file: { file_url: 'gs://b/report.pdf' } },
      want: { fileData: { mimeType: 'application/pdf', fileUri: 'gs://b/report.pdf' } },
    },
  ])('reads $rule', ({ part, want }) => {
    expect(partsOfUser(part)).toEqual([user(want)]);
  });

  test.for([
    { rule: 'a text that is neither address nor base64', part: { type: 'image_url', image_url: { url: 'not a url' } } },
    { rule: 'an image without an address', part: { type: 'image_url' } },
    { rule: 'audio without data', part: { type: 'input_audio', input_audio: { format: 'mp3' } } },
    { rule: 'a file by its id', part: { type: 'file', file: { file_id: 'f' } } },
    { rule: 'an unknown type', part: { type: 'video_url', video_url: { url: 'https://x.example/a' } } },
  ])('refuses $rule', ({ part }) => {
    expect(() => partsOfUser(part)).toThrow(UnsupportedPart);
  });

  test('inlines what was downloaded', () => {
    const url = 'https://x.example/a.png';
    const media = new Map([[url, { mimeType: 'image/gif', data: 'R0=' }]]);
    const inline = { inlineData: { mimeType: 'image/gif', data: 'R0=' } };
    expect(partsOfUser({ type: 'image_url', image_url: { url } }, { media })).toEqual([user(inline)]);
    expect(partsOfUser({ type: 'file', file: { file_url: url } }, { media })).toEqual([user(inline)]);
  });

  test('names each address that has to be downloaded once', () => {
    const image = (url: string, more: object = {}): object => ({ type: 'image_url', image_url: { url, ...more } });
    const content = [
      image('https://x.example/a', { mime_type: 'image/png' }),
      image('https://x.example/a'),
      image(PNG),
      image('gs://b/o.png'),
      image('https://www.youtube.com/watch?v=1'),
      image('https://youtu.be/1'),
      image('https://generativelanguage.googleapis.com/v1beta/files/1'),
      image('https://'),
      { type: 'file', file: { file_url: 'http://x.example/b.pdf', mime_type: 'application/pdf' } },
      { type: 'file', file: { file_url: 'http://x.example/c.pdf', file_data: 'AA==' } },
    ];
    expect(remoteMediaOf({ messages: [{ role: 'user', content }] })).toEqual([
      { url: 'https://x.example/a', mimeType: 'image/png' },
      { url: 'http://x.example/b.pdf', mimeType: 'application/pdf' },
    ]);
  });
});

describe('Gemini settings', () => {
  const generation = (params: object, name = 'gemini-2.0-flash'): unknown =>
    bodyOf({ messages: [], ...params }, { model: name })['generationConfig'];

  test.for([
    {
      rule: 'sampling',
      params: { temperature: 1.7, top_p: 0.5, top_k: 3 },
      want: { temperature: 1.7, topP: 0.5, topK: 3 },
    },
    {
      rule: 'max_tokens before max_completion_tokens',
      params: { max_tokens: 5, max_completion_tokens: 9 },
      want: { maxOutputTokens: 5 },
    },
    { rule: 'max_completion_tokens alone', params: { max_completion_tokens: 9 }, want: { maxOutputTokens: 9 } },
    { rule: 'a stop text as a list', params: { stop: 'END', seed: 7 }, want: { stopSequences: ['END'], seed: 7 } },
    {
      rule: 'log-probabilities',
      params: { logprobs: true, top_logprobs: 3 },
      want: { responseLogprobs: true, logprobs: 3 },
    },
    {
      rule: 'candidates and penalties',
      params: { n: 2, presence_penalty: 1, frequency_penalty: -1 },
      want: { candidateCount: 2, presencePenalty: 1, frequencyPenalty: -1 },
    },
    {
      rule: 'JSON mode',
      params: { response_format: { type: 'json_object' } },
      want: { responseMimeType: 'application/json' },
    },
    {
      rule: 'a JSON schema, untouched',
      params: {
        response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { $defs: {}, type: 'object' } } },
      },
      want: { responseMimeType: 'application/json', responseJsonSchema: { $defs: {}, type: 'object' } },
    },
    { rule: 'nothing for text', params: { response_format: { type: 'text' } }, want: undefined },
    {
      rule: 'thinking with a budget',
      params: { thinking: { type: 'enabled', budget_tokens: 100 }, reasoning_effort: 'high' },
      want: { thinkingConfig: { includeThoughts: true, thinkingBudget: 100 } },
    },
    {
      rule: 'thinking with an open budget',
      params: { thinking: { type: 'enabled', budget_tokens: -1 } },
      want: { thinkingConfig: { includeThoughts: false, thinkingBudget: -1 } },
    },
    {
      rule: 'thinking switched off',
      params: { thinking: { type: 'disabled' } },
      want: { thinkingConfig: { includeThoughts: false, thinkingBudget: 0 } },
    },
    {
      rule: 'thinking that leaves the amount to the effort',
      params: { thinking: { type: 'adaptive' }, reasoning_effort: 'low' },
      want: { thinkingConfig: { thinkingLevel: 'low' } },
    },
    ...[
      ['minimal', 1024],
      ['low', 1024],
      ['medium', 8192],
      ['high', 24_576],
      ['xhigh', 8192],
    ].map(([effort, thinkingBudget]) => ({
      rule: `effort ${effort} as a budget`,
      params: { reasoning_effort: effort },
      model: 'gemini-2.5-pro',
      want: { thinkingConfig: { includeThoughts: true, thinkingBudget } },
    })),
    {
      rule: 'effort none as no budget',
      params: { reasoning_effort: 'none' },
      model: 'gemini-2.5-flash',
      want: { thinkingConfig: { thinkingBudget: 0 } },
    },
    { rule: 'effort none as nothing', params: { reasoning_effort: 'none' }, model: 'gemini-3-pro', want: undefined },
    {
      rule: 'effort as a level',
      params: { reasoning_effort: 'high' },
      model: 'gemini-3-pro',
      want: { thinkingConfig: { thinkingLevel: 'high' } },
    },
    { rule: 'modalities', params: { modalities: ['text', 'image'] }, want: { responseModalities: ['TEXT', 'IMAGE'] } },
    {
      rule: 'image settings',
      params: { image_config: { aspect_ratio: '16:9', image_size: '2K' } },
      want: { imageConfig: { aspectRatio: '16:9', imageSize: '2K' } },
    },
    {
      rule: 'media resolution',
      params: { media_resolution: 'MEDIA_RESOLUTION_LOW' },
      want: { mediaResolution: 'MEDIA_RESOLUTION_LOW' },
    },
    {
      rule: 'nothing for null',
      params: { temperature: null, stop: null, thinking: null, image_config: {} },
      want: undefined,
    },
  ])('say $rule', ({ params, model: name, want }: { params: object; model?: string; want: unknown }) => {
    expect(generation(params, name)).toEqual(want);
  });

  test('sit at the root where Gemini has them there', () => {
    const params = {
      messages: [],
      cached_content: 'cachedContents/1',
      safety_settings: [{ category: 'c' }],
      labels: { team: 'x' },
    };
    expect(bodyOf(params)).toEqual({
      contents: [],
      cachedContent: 'cachedContents/1',
      safety_settings: [{ category: 'c' }],
      labels: { team: 'x' },
    });
    expect(bodyOf(params, { safetyMember: 'safetySettings', labels: false })).toEqual({
      contents: [],
      cachedContent: 'cachedContents/1',
      safetySettings: [{ category: 'c' }],
    });
  });

  test('leave out parameters without a counterpart', () => {
    const params = {
      messages: [],
      model: 'm',
      stream: true,
      user: 'u',
      logit_bias: {},
      stream_options: {},
      made_up: 1,
    };
    expect(bodyOf(params)).toEqual({ contents: [] });
  });
});

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

describe('a whole Gemini request', () => {
  const check = {
    messages: [
      { role: 'system', content: 'S1' },
      { role: 'developer', content: [{ type: 'text', text: 'S2', cache_control: { type: 'ephemeral' } }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
        ],
      },
      {
        role: 'assistant',
        tool_calls: [{ id: 't1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
      },
      { role: 'tool', tool_call_id: 't1', content: '42' },
      { role: 'user', content: 'more' },
    ],
    tools: [{ type: 'function', function: { name: 'f' } }],
    tool_choice: 'required',
    max_completion_tokens: 50,
    temperature: 1.7,
    stop: 'END',
    user: 'u1',
  };

  test('keeps every part of a conversation with system texts, tools and media', () => {
    expect(bodyOf(check)).toEqual({
      systemInstruction: { parts: [text('S1'), text('S2')] },
      contents: [
        user(text('hi'), { inlineData: { mimeType: 'image/png', data: 'aGk=' } }),
        model({ functionCall: { name: 'f', args: { a: 1 } } }),
        user({ functionResponse: { name: 'f', response: { content: '42' } } }, text('more')),
      ],
      tools: [{ functionDeclarations: [{ name: 'f' }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
      generationConfig: { temperature: 1.7, maxOutputTokens: 50, stopSequences: ['END'] },
    });
  });

  test('is made of any JSON without throwing', () => {
    const keys = [
      'messages',
      'tools',
      'tool_choice',
      'stop',
      'thinking',
      'response_format',
      'modalities',
      'image_config',
    ];
    const roles = fc.constantFrom('system', 'user', 'assistant', 'tool', 'x');
    const message = fc.record({
      role: roles,
      content: fc.jsonValue(),
      tool_calls: fc.jsonValue(),
      tool_call_id: fc.jsonValue(),
    });
    const params = fc.dictionary(fc.constantFrom(...keys), fc.oneof(fc.jsonValue(), fc.array(message)));
    fc.assert(
      fc.property(params, (body) => {
        unlessRefused(() => remoteMediaOf(body));
        const written = unlessRefused(() => bodyOf(body));
        if (written !== undefined) expect(written['contents']).toBeInstanceOf(Array);
      }),
    );
  });
});
