import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../contract.ts';
import { UnsupportedPart } from '../parts/parts.ts';
import { unlessRefused } from '../parts/testing.ts';
import { type ConverseTarget, remoteUrlsOf, toConverseBody } from './index.ts';

const CLAUDE: ConverseTarget = { model: 'anthropic.claude-3-5-sonnet-20240620-v1:0', family: 'anthropic' };
const NOVA: ConverseTarget = { model: 'eu.amazon.nova-pro-v1:0', family: 'amazon' };
const OTHER: ConverseTarget = { model: 'deepseek.r1-v1:0', family: 'other' };

const frozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
};

const body = (params: JsonObject, target = CLAUDE): JsonObject => toConverseBody(frozen(params), target);

const CACHE = { type: 'ephemeral' };
const POINT = { cachePoint: { type: 'default' } };
const PNG = 'data:image/png;base64,iVBORw0=';
const USER = { role: 'user', content: 'hi' };
const HI = { role: 'user', content: [{ text: 'hi' }] };
const call = (id: string, args = '{}'): object => ({ id, type: 'function', function: { name: 'f', arguments: args } });
const toolUse = (toolUseId: string, input = {}): object => ({ toolUse: { toolUseId, name: 'f', input } });
const toolResult = (toolUseId: string, ...content: object[]): object => ({ toolResult: { toolUseId, content } });

describe('the conversation', () => {
  test.for<{ rule: string; messages: unknown[]; want: unknown[] }>([
    { rule: 'makes a block of a text', messages: [USER], want: [HI] },
    { rule: 'drops blank texts and empty messages', messages: [USER, { role: 'user', content: ' \n' }], want: [HI] },
    {
      rule: 'merges neighbours of one role, tool answers included',
      messages: [
        USER,
        { role: 'assistant', content: 'a', tool_calls: [call('t1', '{"a":1}')] },
        { role: 'assistant', content: 'b', tool_calls: [call('t2', '')] },
        { role: 'tool', tool_call_id: 't1', content: '42' },
        { role: 'tool', tool_call_id: 't2', content: '' },
        { role: 'user', content: 'more' },
      ],
      want: [
        HI,
        { role: 'assistant', content: [{ text: 'a' }, toolUse('t1', { a: 1 }), { text: 'b' }, toolUse('t2')] },
        { role: 'user', content: [toolResult('t1', { text: '42' }), toolResult('t2'), { text: 'more' }] },
      ],
    },
    {
      rule: 'starts with the user',
      messages: [{ role: 'assistant', content: 'welcome' }, USER],
      want: [{ role: 'user', content: [{ text: '.' }] }, { role: 'assistant', content: [{ text: 'welcome' }] }, HI],
    },
    {
      rule: 'puts a breakpoint after what carries one',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a', cache_control: CACHE },
            { type: 'text', text: 'b' },
          ],
          cache_control: CACHE,
        },
        { role: 'assistant', tool_calls: [{ ...call('t1'), cache_control: CACHE }] },
        { role: 'tool', tool_call_id: 't1', content: [{ type: 'text', text: '1', cache_control: CACHE }] },
      ],
      want: [
        { role: 'user', content: [{ text: 'a' }, POINT, { text: 'b' }, POINT] },
        { role: 'assistant', content: [toolUse('t1'), POINT] },
        { role: 'user', content: [toolResult('t1', { text: '1' }), POINT] },
      ],
    },
    {
      rule: 'sends signed thinking back, in place of the content',
      messages: [
        USER,
        {
          role: 'assistant',
          content: 'ignored',
          content_blocks: [
            { type: 'thinking', thinking: 'hm', signature: 's' },
            { type: 'thinking', thinking: 'unsigned' },
            { type: 'redacted_thinking', data: 'xx' },
            { type: 'text', text: 'said' },
            { type: 'image_url', image_url: { url: PNG } },
          ],
        },
      ],
      want: [
        HI,
        {
          role: 'assistant',
          content: [
            { reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } },
            { reasoningContent: { redactedContent: 'xx' } },
            { text: 'said' },
          ],
        },
      ],
    },
    {
      rule: 'shows images and documents of a tool inside its answer',
      messages: [
        {
          role: 'tool',
          tool_call_id: 't1',
          content: [
            { type: 'image_url', image_url: { url: PNG } },
            { type: 'text', text: 'see' },
          ],
        },
      ],
      want: [
        {
          role: 'user',
          content: [toolResult('t1', { image: { format: 'png', source: { bytes: 'iVBORw0=' } } }, { text: 'see' })],
        },
      ],
    },
    {
      rule: 'puts text before a document that has none, after the answers of tools',
      messages: [
        { role: 'tool', tool_call_id: 't1', content: '1' },
        { role: 'user', content: [{ type: 'file', file: { file_data: 'JVBE' } }] },
      ],
      want: [
        {
          role: 'user',
          content: [
            toolResult('t1', { text: '1' }),
            { text: ' ' },
            { document: { format: 'pdf', name: 'document-1', source: { bytes: 'JVBE' } } },
          ],
        },
      ],
    },
  ])('$rule', ({ messages, want }) => {
    expect(body({ messages })['messages']).toEqual(want);
  });

  test('has the system blocks apart', () => {
    const messages = [
      { role: 'system', content: 'S1' },
      {
        role: 'developer',
        content: [
          { type: 'text', text: 'S2', cache_control: CACHE },
          { type: 'text', text: ' ' },
        ],
      },
      { role: 'system', content: 'S3', cache_control: CACHE },
      USER,
    ];
    expect(body({ messages })).toEqual({
      system: [{ text: 'S1' }, { text: 'S2' }, POINT, { text: 'S3' }, POINT],
      messages: [HI],
    });
  });
});

test.for([
  { role: 'user', part: { type: 'input_audio', input_audio: {} } },
  { role: 'user', part: { type: 'file', file: { filename: 'a.pdf' } } },
  { role: 'system', part: { type: 'image_url', image_url: { url: PNG } } },
  { role: 'assistant', part: { type: 'image_url', image_url: { url: PNG } } },
  { role: 'tool', part: { type: 'texxt', text: 'a' } },
])('a $role message has no part $part', ({ role, part }) => {
  expect(() => body({ messages: [{ role, content: [part] }] })).toThrow(UnsupportedPart);
});

describe('a file', () => {
  const file = (members: object) => ({ type: 'file', file: members });
  const image = (url: string) => ({ type: 'image_url', image_url: { url } });
  const document = (format: string, source: object, name = 'document-1') => ({ document: { format, name, source } });
  const bytes = { bytes: 'AA==' };
  const remote = new Map([['https://x.example/a', { mimeType: 'image/gif', data: 'R0=' }]]);

  test.for<{ rule: string; part: object; want: object | undefined }>([
    {
      rule: 'that is an image',
      part: image('data:image/jpg;base64,AA=='),
      want: { image: { format: 'jpeg', source: bytes } },
    },
    {
      rule: 'that is a gif',
      part: image('data:image/gif;base64,AA=='),
      want: { image: { format: 'gif', source: bytes } },
    },
    {
      rule: 'that is a video',
      part: image('data:video/quicktime;base64,AA=='),
      want: { video: { format: 'mov', source: bytes } },
    },
    {
      rule: 'that is a 3gpp video',
      part: image('data:video/3gpp;base64,AA=='),
      want: { video: { format: 'three_gp', source: bytes } },
    },
    { rule: 'that is a document', part: image('data:text/csv;base64,AA=='), want: document('csv', bytes) },
    {
      rule: 'that is plain text',
      part: file({ file_data: 'AA==', mime_type: 'text/plain' }),
      want: document('txt', bytes),
    },
    {
      rule: 'that is Markdown',
      part: file({ file_data: 'AA==', mime_type: 'text/markdown' }),
      want: document('md', bytes),
    },
    {
      rule: 'that is for Word',
      part: file({ file_data: 'AA==', mime_type: 'application/msword' }),
      want: document('doc', bytes),
    },
    {
      rule: 'that is for a later Word',
      part: file({
        file_data: 'AA==',
        mime_type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      }),
      want: document('docx', bytes),
    },
    {
      rule: 'that is for Excel',
      part: file({ file_data: 'AA==', mime_type: 'application/vnd.ms-excel' }),
      want: document('xls', bytes),
    },
    {
      rule: 'that is for a later Excel',
      part: file({ file_data: 'AA==', mime_type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' }),
      want: document('xlsx', bytes),
    },
    {
      rule: 'with a name the upstream would refuse',
      part: file({ file_data: 'AA==', filename: 'Q3  report_(v2).pdf' }),
      want: document('pdf', bytes, 'Q3 report-(v2)-pdf'),
    },
    {
      rule: 'in a bucket',
      part: file({ file_url: 's3://b/k.mp4', mime_type: 'video/mp4' }),
      want: { video: { format: 'mp4', source: { s3Location: { uri: 's3://b/k.mp4' } } } },
    },
    {
      rule: 'in a bucket, its type derived from its name',
      part: file({ file_url: 's3://b/k.docx' }),
      want: document('docx', { s3Location: { uri: 's3://b/k.docx' } }),
    },
    {
      rule: 'that is an image in a bucket',
      part: image('s3://b/k'),
      want: { image: { format: 'png', source: { s3Location: { uri: 's3://b/k' } } } },
    },
    {
      rule: 'that was fetched',
      part: image('https://x.example/a'),
      want: { image: { format: 'gif', source: { bytes: 'R0=' } } },
    },
  ])('$rule', ({ part, want }) => {
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'x' }, part] }];
    const [turn] = body({ messages }, { ...CLAUDE, remote })['messages'] as [{ content: unknown[] }];
    expect(turn.content[1]).toEqual(want);
  });

  test('has a name of its own', () => {
    const part = file({ file_data: 'AA==', filename: 'a' });
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'x' }, part, part, file({ file_data: 'AA==' })] },
    ];
    const [turn] = body({ messages })['messages'] as [{ content: { document?: { name: string } }[] }];
    expect(turn.content.flatMap((block) => block.document?.name ?? [])).toEqual(['a', 'a-2', 'document-3']);
  });

  test('has to be fetched when it lies on the web, once', () => {
    const url = 'https://x.example/a';
    const content = [
      image(url),
      image(url),
      image(PNG),
      image('s3://b/k'),
      file({ file_url: 'http://x.example/b.pdf' }),
    ];
    expect(remoteUrlsOf({ messages: [{ role: 'user', content }] })).toEqual([url, 'http://x.example/b.pdf']);
  });
});

describe('the tools', () => {
  const weather = { name: 'w', description: 'd', parameters: { type: 'object', additionalProperties: false } };
  const tools = [{ type: 'function', function: weather }];
  const spec = { toolSpec: { name: 'w', description: 'd', inputSchema: { json: weather.parameters } } };
  const used = [
    USER,
    { role: 'assistant', tool_calls: [call('t1')] },
    { role: 'tool', tool_call_id: 't1', content: '1' },
  ];
  const madeUp = { toolSpec: { name: 'f', inputSchema: { json: { type: 'object', properties: {} } } } };

  test.for<{ rule: string; params: JsonObject; target?: ConverseTarget; want: unknown }>([
    { rule: 'keep the whole schema', params: { tools }, want: { tools: [spec] } },
    {
      rule: 'get an empty schema and no empty description',
      params: { tools: [{ type: 'function', function: { name: 'w', description: '' } }] },
      want: { tools: [{ toolSpec: { name: 'w', inputSchema: { json: { type: 'object', properties: {} } } } }] },
    },
    {
      rule: 'carry breakpoints',
      params: { tools: [{ ...tools[0], cache_control: CACHE }] },
      want: { tools: [spec, POINT] },
    },
    {
      rule: 'carry no breakpoints for models that refuse them',
      params: { tools: [{ ...tools[0], cache_control: CACHE }] },
      target: NOVA,
      want: { tools: [spec] },
    },
    {
      rule: 'may be chosen',
      params: { tools, tool_choice: 'auto' },
      want: { tools: [spec], toolChoice: { auto: {} } },
    },
    {
      rule: 'must be used',
      params: { tools, tool_choice: 'required' },
      want: { tools: [spec], toolChoice: { any: {} } },
    },
    {
      rule: 'are chosen by name',
      params: { tools, tool_choice: { type: 'function', function: { name: 'w' } } },
      want: { tools: [spec], toolChoice: { tool: { name: 'w' } } },
    },
    { rule: 'are dropped when they must not be used', params: { tools, tool_choice: 'none' }, want: undefined },
    {
      rule: 'stay without a choice when they were used before',
      params: { messages: used, tools, tool_choice: 'none' },
      want: { tools: [spec] },
    },
    {
      rule: 'are made up when they were used before',
      params: { messages: used, tool_choice: 'auto' },
      want: { tools: [madeUp] },
    },
    { rule: 'are left out when there is none', params: { tools: [], tool_choice: 'auto' }, want: undefined },
    { rule: 'are left out when only server tools are there', params: { tools: [{ type: 'bash' }] }, want: undefined },
  ])('$rule', ({ params, target, want }) => {
    expect(body({ messages: [USER], ...params }, target)['toolConfig']).toEqual(want);
  });
});

describe('the parameters', () => {
  const schema = { type: 'object' };

  test.for<{ rule: string; params: JsonObject; target?: ConverseTarget; want: JsonObject }>([
    {
      rule: 'sampling goes into inferenceConfig, unclamped',
      params: { max_tokens: 5, max_completion_tokens: 9, temperature: 1.7, top_p: 0.5, stop: 'END' },
      want: { inferenceConfig: { maxTokens: 5, temperature: 1.7, topP: 0.5, stopSequences: ['END'] } },
    },
    {
      rule: 'nothing is sent for null',
      params: { max_tokens: null, temperature: null, top_p: null, stop: null },
      want: {},
    },
    {
      rule: 'the settings of the service pass in either spelling',
      params: {
        guardrail_config: { a: 1 },
        additional_model_response_field_paths: ['/x'],
        performance_config: { latency: 'optimized' },
      },
      want: {
        guardrailConfig: { a: 1 },
        additionalModelResponseFieldPaths: ['/x'],
        performanceConfig: { latency: 'optimized' },
      },
    },
    {
      rule: 'anthropic gets its own',
      params: {
        top_k: 3,
        user: 'u1',
        thinking: { type: 'enabled', budget_tokens: 1024 },
        reasoning_effort: 'high',
        response_format: { type: 'json_schema', json_schema: { schema } },
        tools: [{ type: 'computer', computer: { name: 'computer_20250124' } }],
      },
      target: { ...CLAUDE, anthropicBeta: ['b1', 'b2'], anthropicVersion: 'bedrock-2023-05-31' },
      want: {
        additionalModelRequestFields: {
          top_k: 3,
          anthropic_version: 'bedrock-2023-05-31',
          anthropic_beta: ['b1', 'b2'],
          metadata: { user_id: 'u1' },
          thinking: { type: 'enabled', budget_tokens: 1024 },
          output_config: { format: { type: 'json_schema', schema }, effort: 'high' },
          tools: [{ name: 'computer', type: 'computer_20250124' }],
        },
      },
    },
    {
      rule: 'what the client names itself wins',
      params: { top_k: 3, additional_model_request_fields: { top_k: 4, x: 1 } },
      want: { additionalModelRequestFields: { top_k: 4, x: 1 } },
    },
    {
      rule: 'cohere gets its own',
      params: { top_k: 3, n: 2, frequency_penalty: 0.1, presence_penalty: 0.2, logit_bias: { a: 1 } },
      target: { model: 'cohere.command-r-v1:0', family: 'cohere' },
      want: {
        additionalModelRequestFields: {
          top_k: 3,
          n: 2,
          frequency_penalty: 0.1,
          presence_penalty: 0.2,
          logitBias: { a: 1 },
        },
      },
    },
    {
      rule: 'ai21 gets its own',
      params: {
        top_k: 3,
        frequency_penalty: 0.1,
        presencePenalty: { scale: 9 },
        presence_penalty: 0.2,
        countPenalty: { scale: 1 },
      },
      target: { model: 'ai21.jamba-1-5-large-v1:0', family: 'ai21' },
      want: {
        additionalModelRequestFields: {
          top_k: 3,
          frequencyPenalty: { scale: 0.1 },
          presencePenalty: { scale: 9 },
          countPenalty: { scale: 1 },
        },
      },
    },
    {
      rule: 'nova nests top_k',
      params: { top_k: 3 },
      target: NOVA,
      want: { additionalModelRequestFields: { inferenceConfig: { topK: 3 } } },
    },
    {
      rule: 'others get top_k and the format',
      params: { top_k: 3, response_format: { type: 'json_object' }, user: 'u1' },
      target: OTHER,
      want: { additionalModelRequestFields: { top_k: 3, response_format: { type: 'json_object' } } },
    },
  ])('$rule', ({ params, target, want }) => {
    expect(body({ messages: [USER], ...params }, target)).toEqual({ messages: [HI], ...want });
  });
});

test('a conversation with system texts, an image, a tool and sampling parameters', () => {
  const made = body({
    messages: [
      { role: 'system', content: 'S1' },
      { role: 'developer', content: [{ type: 'text', text: 'S2', cache_control: CACHE }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'image_url', image_url: { url: PNG } },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [call('t1', '{"a":1}')] },
      { role: 'tool', tool_call_id: 't1', content: '42' },
      { role: 'user', content: 'more' },
    ],
    tools: [{ type: 'function', function: { name: 'f' } }],
    tool_choice: 'required',
    max_completion_tokens: 50,
    temperature: 1.7,
    stop: 'END',
    user: 'u1',
  });
  expect(made).toMatchObject({
    system: [{ text: 'S1' }, { text: 'S2' }, POINT],
    toolConfig: { toolChoice: { any: {} } },
    inferenceConfig: { maxTokens: 50, stopSequences: ['END'], temperature: 1.7 },
    additionalModelRequestFields: { metadata: { user_id: 'u1' } },
  });
  expect((made['messages'] as unknown[]).at(-1)).toEqual({
    role: 'user',
    content: [toolResult('t1', { text: '42' }), { text: 'more' }],
  });
});

test('any body is converted, but for parts that are refused', () => {
  const message = fc.record({
    role: fc.constantFrom('user', 'assistant', 'tool', 'system', 'function'),
    content: fc.jsonValue(),
  });
  const loose = fc.dictionary(
    fc.constantFrom('tools', 'tool_choice', 'functions', 'stop', 'response_format', 'thinking'),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(
      fc.array(fc.oneof(message, fc.jsonValue())),
      loose,
      fc.constantFrom(CLAUDE, NOVA, OTHER),
      (messages, params, target) => {
        unlessRefused(() => body({ ...params, messages }, target));
      },
    ),
  );
});
