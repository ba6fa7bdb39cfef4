import { unwrap } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, WireContext } from '../contract.ts';
import { UnsupportedPart } from '../parts/parts.ts';
import { unlessRefused } from '../parts/testing.ts';
import { toAnthropicBody } from './index.ts';

const ctx: WireContext = {
  provider: 'anthropic',
  model: 'claude-sonnet-4-5',
  strict: true,
  params: {},
  now: () => 1_760_000_000_000,
  newId: (prefix, length) => prefix + '0'.repeat(length),
};

const frozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
};

const body = (params: JsonObject, model = ctx.model): JsonObject =>
  unwrap(toAnthropicBody(frozen(params), { ...ctx, model }));

const USER = { role: 'user', content: 'hi' };
const CACHE = { type: 'ephemeral' };
const PNG = 'data:image/png;base64,iVBORw0=';
const call = (id: string, args = '{}'): object => ({ id, type: 'function', function: { name: 'f', arguments: args } });

describe('the conversation', () => {
  test.for<{ rule: string; messages: unknown[]; want: unknown[] }>([
    { rule: 'keeps a text as text', messages: [USER], want: [USER] },
    {
      rule: 'makes a block of a text with a breakpoint',
      messages: [{ ...USER, cache_control: CACHE }],
      want: [{ role: 'user', content: [{ type: 'text', text: 'hi', cache_control: CACHE }] }],
    },
    {
      rule: 'keeps breakpoints of parts and puts that of a message on its last block',
      messages: [
        {
          role: 'user',
          cache_control: CACHE,
          content: [
            { type: 'text', text: 'a', cache_control: CACHE },
            { type: 'text', text: 'b' },
          ],
        },
      ],
      want: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a', cache_control: CACHE },
            { type: 'text', text: 'b', cache_control: CACHE },
          ],
        },
      ],
    },
    {
      rule: 'merges the answers of tools and the user message after them',
      messages: [
        USER,
        { role: 'assistant', content: null, tool_calls: [call('t1'), call('t2')] },
        { role: 'tool', tool_call_id: 't1', content: '1' },
        { role: 'tool', tool_call_id: 't2', content: '2' },
        { role: 'user', content: 'more' },
      ],
      want: [
        USER,
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 't1', name: 'f', input: {} },
            { type: 'tool_use', id: 't2', name: 'f', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't1', content: '1' },
            { type: 'tool_result', tool_use_id: 't2', content: '2' },
            { type: 'text', text: 'more' },
          ],
        },
      ],
    },
    {
      rule: 'leaves other neighbours of one role apart',
      messages: [USER, USER],
      want: [USER, USER],
    },
    {
      rule: 'turns images of a tool into blocks and keeps its breakpoint',
      messages: [
        {
          role: 'tool',
          tool_call_id: 't1',
          cache_control: CACHE,
          content: [
            { type: 'text', text: 'see' },
            { type: 'image_url', image_url: { url: PNG } },
          ],
        },
      ],
      want: [
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 't1',
              content: [
                { type: 'text', text: 'see' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0=' } },
              ],
              cache_control: CACHE,
            },
          ],
        },
      ],
    },
    {
      rule: 'puts the text of an assistant before its calls, and keeps breakpoints of calls',
      messages: [
        USER,
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'I call' },
            { type: 'tool_use', id: 'x' },
          ],
          tool_calls: [{ ...call('t1', '{"a":1}'), cache_control: CACHE }],
        },
      ],
      want: [
        USER,
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'I call' },
            { type: 'tool_use', id: 't1', name: 'f', input: { a: 1 }, cache_control: CACHE },
          ],
        },
      ],
    },
    {
      rule: 'sends signed thinking and server tool blocks back unchanged, in place of the content',
      messages: [
        USER,
        {
          role: 'assistant',
          content: 'ignored',
          content_blocks: [
            { type: 'thinking', thinking: 'hm', signature: 'sig' },
            { type: 'thinking', thinking: 'of another vendor' },
            { type: 'redacted_thinking', data: 'xx' },
            { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
            { type: 'text', text: 'said', citations: [1] },
            { type: 'image_url', image_url: { url: PNG } },
          ],
        },
      ],
      want: [
        USER,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'sig' },
            { type: 'redacted_thinking', data: 'xx' },
            { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
            { type: 'text', text: 'said', citations: [1] },
          ],
        },
      ],
    },
    {
      rule: 'leaves out empty assistant messages',
      messages: [USER, { role: 'assistant', content: '' }, { role: 'assistant', content: null }, USER],
      want: [USER, USER],
    },
    {
      rule: 'keeps a refusal as text',
      messages: [{ role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] }],
      want: [{ role: 'assistant', content: [{ type: 'text', text: 'no' }] }],
    },
    {
      rule: 'treats broken arguments as none',
      messages: [{ role: 'assistant', tool_calls: [call('t1', '{"a":'), null, 'x'] }],
      want: [{ role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'f', input: {} }] }],
    },
    {
      rule: 'converts deprecated functions to tools',
      messages: [
        USER,
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":1}' } },
        { role: 'function', name: 'f', content: '42' },
      ],
      want: [
        USER,
        { role: 'assistant', content: [{ type: 'tool_use', id: 'function_call_1', name: 'f', input: { a: 1 } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'function_call_1', content: '42' }] },
      ],
    },
  ])('$rule', ({ messages, want }) => {
    expect(body({ messages })['messages']).toEqual(want);
  });
});

describe('a part of a user message', () => {
  const pdf = { type: 'base64', media_type: 'application/pdf', data: 'JVBE' };
  const file = (members: object) => ({ type: 'file', file: members });
  const image = (url: string) => ({ type: 'image_url', image_url: { url } });

  test.for<{ rule: string; part: object; want: unknown[] }>([
    {
      rule: 'a data URL',
      part: image(PNG),
      want: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0=' } }],
    },
    {
      rule: 'a data URL with the common misspelling and parameters',
      part: image('data:image/jpg;name=x;base64,AA=='),
      want: [{ type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'AA==' } }],
    },
    {
      rule: 'a PDF as data URL',
      part: image('data:application/pdf;base64,JVBE'),
      want: [{ type: 'document', source: pdf }],
    },
    {
      rule: 'an address',
      part: image('https://x.example/a.png'),
      want: [{ type: 'image', source: { type: 'url', url: 'https://x.example/a.png' } }],
    },
    {
      rule: 'a file by address',
      part: file({ file_url: 'https://x.example/a.pdf' }),
      want: [{ type: 'document', source: { type: 'url', url: 'https://x.example/a.pdf' } }],
    },
    { rule: 'a file without a type', part: file({ file_data: 'JVBE' }), want: [{ type: 'document', source: pdf }] },
    {
      rule: 'a file as data URL',
      part: file({ file_data: 'data:application/pdf;base64,JVBE', filename: 'a.pdf' }),
      want: [{ type: 'document', source: pdf }],
    },
    {
      rule: 'a text file',
      part: file({ file_data: Buffer.from('grüße').toString('base64'), mime_type: 'text/plain' }),
      want: [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'grüße' } }],
    },
    {
      rule: 'an image sent as file',
      part: file({ file_data: 'AA==', mime_type: 'image/webp' }),
      want: [{ type: 'image', source: { type: 'base64', media_type: 'image/webp', data: 'AA==' } }],
    },
    {
      rule: 'an uploaded file',
      part: file({ file_id: 'file_1' }),
      want: [{ type: 'document', source: { type: 'file', file_id: 'file_1' } }],
    },
    { rule: 'an empty text', part: { type: 'text', text: '' }, want: [] },
    {
      rule: 'a breakpoint on an image',
      part: { ...image('https://x.example/a.png'), cache_control: CACHE },
      want: [{ type: 'image', source: { type: 'url', url: 'https://x.example/a.png' }, cache_control: CACHE }],
    },
  ])('can be $rule', ({ part, want }) => {
    expect(body({ messages: [{ role: 'user', content: [part] }] })['messages']).toEqual([
      { role: 'user', content: want },
    ]);
  });

  test.for<{ rule: string; role?: string; part: unknown }>([
    { rule: 'audio, which the format has no block for', part: { type: 'input_audio', input_audio: {} } },
    { rule: 'an unknown type', part: { type: 'texxt', text: 'a' } },
    { rule: 'an image without an address', part: image('here') },
    { rule: 'a data URL without base64', part: image('data:image/png,x') },
    { rule: 'a file without content', part: file({ filename: 'a.pdf' }) },
    { rule: 'a text that is none', part: { type: 'text', text: 5 } },
    { rule: 'a value that is no part', part: 'text' },
    { rule: 'an image of the system', role: 'system', part: image('https://x.example/a.png') },
    { rule: 'an image of the assistant', role: 'assistant', part: image('https://x.example/a.png') },
  ])('cannot be $rule', ({ role = 'user', part }) => {
    const content = [{ type: 'text', text: 'x' }, part];
    expect(() => body({ messages: [{ role, content }] })).toThrow(UnsupportedPart);
  });
});

describe('the system blocks', () => {
  test.for<{ rule: string; messages: unknown[]; want: unknown }>([
    {
      rule: 'hold all system and developer messages in order',
      messages: [
        { role: 'system', content: 'S1', cache_control: CACHE },
        USER,
        {
          role: 'developer',
          content: [
            { type: 'text', text: 'S2', cache_control: CACHE },
            { type: 'text', text: 'S3' },
          ],
        },
      ],
      want: [
        { type: 'text', text: 'S1', cache_control: CACHE },
        { type: 'text', text: 'S2', cache_control: CACHE },
        { type: 'text', text: 'S3' },
      ],
    },
    { rule: 'are left out when there are none', messages: [USER], want: undefined },
  ])('$rule', ({ messages, want }) => {
    expect(body({ messages })['system']).toEqual(want);
  });
});

describe('the tools', () => {
  const weather = { name: 'w', description: 'd', parameters: { type: 'object', additionalProperties: false } };

  test.for<{ rule: string; tool: object; want: object }>([
    {
      rule: 'keep the whole schema',
      tool: { type: 'function', function: weather },
      want: { name: 'w', description: 'd', input_schema: weather.parameters },
    },
    {
      rule: 'get an empty description and schema',
      tool: { type: 'function', function: { name: 'w' } },
      want: { name: 'w', description: '', input_schema: { type: 'object', properties: {} } },
    },
    {
      rule: "carry the vendor's extras, wherever they stand",
      tool: {
        type: 'function',
        cache_control: CACHE,
        defer_loading: true,
        function: { ...weather, strict: true, allowed_callers: ['x'], input_examples: [{}] },
      },
      want: {
        name: 'w',
        description: 'd',
        input_schema: weather.parameters,
        cache_control: CACHE,
        strict: true,
        defer_loading: true,
        allowed_callers: ['x'],
        input_examples: [{}],
      },
    },
    {
      rule: 'can be server tools',
      tool: { type: 'computer', computer: { name: 'computer_20250124', display_width_px: 10 }, cache_control: CACHE },
      want: { type: 'computer_20250124', name: 'computer', display_width_px: 10, cache_control: CACHE },
    },
    {
      rule: 'can have the shape of the vendor',
      tool: { type: 'web_search_20250305', name: 'web_search', max_uses: 2 },
      want: { type: 'web_search_20250305', name: 'web_search', max_uses: 2 },
    },
  ])('$rule', ({ tool, want }) => {
    expect(body({ messages: [USER], tools: [tool] })['tools']).toEqual([want]);
  });

  const tools = [{ type: 'function', function: weather }];
  test.for<{ rule: string; params: JsonObject; want: unknown }>([
    { rule: 'auto', params: { tools, tool_choice: 'auto' }, want: { type: 'auto' } },
    { rule: 'required', params: { tools, tool_choice: 'required' }, want: { type: 'any' } },
    { rule: 'none', params: { tools, tool_choice: 'none', parallel_tool_calls: false }, want: { type: 'none' } },
    {
      rule: 'a function',
      params: { tools, tool_choice: { type: 'function', function: { name: 'w' } } },
      want: { type: 'tool', name: 'w' },
    },
    {
      rule: 'one call at a time',
      params: { tools, tool_choice: 'required', parallel_tool_calls: false },
      want: { type: 'any', disable_parallel_tool_use: true },
    },
    {
      rule: 'one call at a time without a choice',
      params: { tools, parallel_tool_calls: false },
      want: { type: 'auto', disable_parallel_tool_use: true },
    },
    { rule: 'nothing', params: { tools, parallel_tool_calls: true }, want: undefined },
    { rule: 'a choice without tools', params: { tool_choice: 'auto' }, want: undefined },
    {
      rule: 'a deprecated function',
      params: { functions: [weather], function_call: { name: 'w' } },
      want: { type: 'tool', name: 'w' },
    },
  ])('are chosen by $rule', ({ params, want }) => {
    expect(body({ messages: [USER], ...params })['tool_choice']).toEqual(want);
  });

  test('come from deprecated functions too', () => {
    expect(body({ messages: [USER], functions: [weather] })['tools']).toEqual([
      { name: 'w', description: 'd', input_schema: weather.parameters },
    ]);
  });
});

describe('the parameters', () => {
  const schema = { type: 'object' };
  const format = { type: 'json_schema', schema };

  test.for<{ rule: string; params: JsonObject; want: JsonObject }>([
    { rule: 'max_tokens wins', params: { max_tokens: 5, max_completion_tokens: 9 }, want: { max_tokens: 5 } },
    { rule: 'max_completion_tokens counts alone', params: { max_completion_tokens: 9 }, want: { max_tokens: 9 } },
    {
      rule: 'the default limit replaces the placeholder',
      params: { max_tokens: 'gw-default' },
      want: { max_tokens: 64_000 },
    },
    { rule: 'temperature ends at 1', params: { temperature: 1.7 }, want: { temperature: 1 } },
    { rule: 'null is not sent', params: { temperature: null, top_p: null, stop: null, user: null }, want: {} },
    { rule: 'top_p and top_k pass', params: { top_p: 0.5, top_k: 7 }, want: { top_p: 0.5, top_k: 7 } },
    { rule: 'negative values are not set', params: { top_p: -1, top_k: -1 }, want: {} },
    { rule: 'a stop text is a list', params: { stop: 'END' }, want: { stop_sequences: ['END'] } },
    { rule: 'a stop list stays', params: { stop: ['a', 'b'] }, want: { stop_sequences: ['a', 'b'] } },
    { rule: 'stream passes', params: { stream: true }, want: { stream: true } },
    { rule: 'user is metadata', params: { user: 'u1' }, want: { metadata: { user_id: 'u1' } } },
    {
      rule: 'thinking passes as it is',
      params: { thinking: { type: 'enabled', budget_tokens: 1024 } },
      want: { thinking: { type: 'enabled', budget_tokens: 1024 } },
    },
    {
      rule: 'an effort implies thinking',
      params: { reasoning_effort: 'high' },
      want: { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
    },
    {
      rule: 'an effort leaves explicit thinking alone',
      params: { reasoning_effort: 'low', thinking: { type: 'disabled' } },
      want: { thinking: { type: 'disabled' }, output_config: { effort: 'low' } },
    },
    {
      rule: 'no effort is no thinking',
      params: { reasoning_effort: 'none' },
      want: { thinking: { type: 'disabled' } },
    },
    {
      rule: 'the least effort is the lowest of the vendor',
      params: { reasoning_effort: 'minimal' },
      want: { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
    },
    {
      rule: 'a schema is the format',
      params: { response_format: { type: 'json_schema', json_schema: { name: 'n', schema } } },
      want: { output_config: { format } },
    },
    {
      rule: 'a schema may come without its wrapper',
      params: { response_format: { type: 'json_schema', json_schema: schema } },
      want: { output_config: { format } },
    },
    { rule: 'JSON mode has no counterpart', params: { response_format: { type: 'json_object' } }, want: {} },
    {
      rule: 'parameters without a counterpart are left out',
      params: { n: 2, seed: 1, logit_bias: {}, logprobs: true, presence_penalty: 1, stream_options: {}, store: true },
      want: {},
    },
  ])('$rule', ({ params, want }) => {
    const base = { model: ctx.model, max_tokens: 64_000, messages: [USER] };
    expect(body({ messages: [USER], ...params })).toEqual({ ...base, ...want });
  });

  test.for([
    ['claude-3-opus-20240229', 4096],
    ['claude-3-5-haiku-20241022', 8192],
    ['claude-3-7-sonnet-20250219', 64_000],
    ['claude-opus-4-20250514', 32_000],
    ['claude-opus-4-1-20250805', 32_000],
    ['claude-opus-4-5-20251101', 64_000],
  ] as const)('cap the default limit of %s at %d', ([model, want]) => {
    expect(body({ messages: [USER] }, model)['max_tokens']).toBe(want);
  });

  test('name a model when the client names none', () => {
    expect(body({ messages: [USER] }, '')['model']).toBe('claude-sonnet-4-5');
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
    system: [
      { type: 'text', text: 'S1' },
      { type: 'text', text: 'S2', cache_control: CACHE },
    ],
    messages: [
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', input: { a: 1 } }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: '42' },
          { type: 'text', text: 'more' },
        ],
      },
    ],
    tool_choice: { type: 'any' },
    max_tokens: 50,
    temperature: 1,
    stop_sequences: ['END'],
    metadata: { user_id: 'u1' },
  });
});

test('any body is converted, but for parts that are refused', () => {
  const message = fc.record({
    role: fc.constantFrom('user', 'assistant', 'tool', 'system', 'function'),
    content: fc.jsonValue(),
  });
  const loose = fc.dictionary(
    fc.constantFrom('tools', 'tool_choice', 'functions', 'stop', 'response_format', 'thinking', 'user', 'max_tokens'),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(message, fc.jsonValue())), loose, fc.jsonValue(), (messages, params, extra) => {
      const broken = messages.map((item) =>
        typeof item === 'object' ? { ...item, tool_calls: extra, content_blocks: extra } : item,
      );
      unlessRefused(() => body({ ...params, messages: [...messages, ...broken] }));
    }),
  );
});
