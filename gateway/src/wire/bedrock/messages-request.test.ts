import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../contract.ts';
import { UnsupportedPart } from '../parts/parts.ts';
import { unlessRefused } from '../parts/testing.ts';
import { type ConverseTarget, remoteUrlsOfMessages, toConverseMessages, toInvokeMessages } from './index.ts';
import { HI, USER } from './testing.ts';

const LLAMA: ConverseTarget = { model: 'meta.llama3-70b-instruct-v1:0', family: 'meta' };

const frozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
};

const POINT = { cachePoint: { type: 'default' } };

const CACHE = { type: 'ephemeral', scope: 'global' };

describe('a messages request for a model of the vendor', () => {
  test('keeps what Bedrock knows and nothing else', () => {
    const params = {
      model: 'm',
      stream: true,
      max_tokens: 9,
      messages: [USER],
      system: 's',
      context_management: {},
      anthropic_beta: ['x'],
      top_k: null,
    };
    expect(toInvokeMessages(frozen(params), { anthropicBeta: ['b'] })).toEqual({
      anthropic_version: 'bedrock-2023-05-31',
      anthropic_beta: ['b'],
      max_tokens: 9,
      messages: [USER],
      system: 's',
    });
  });

  test('takes versions of Bedrock only', () => {
    const version = (anthropicVersion: string) => toInvokeMessages({}, { anthropicVersion })['anthropic_version'];
    expect([version('bedrock-2099-01-01'), version('2023-06-01')]).toEqual([
      'bedrock-2099-01-01',
      'bedrock-2023-05-31',
    ]);
  });

  test('has no scope at any breakpoint, and other members named scope', () => {
    const marked = { type: 'text', text: 'a', cache_control: CACHE };
    const clean = { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } };
    const use = { type: 'tool_use', id: 't', name: 'f', input: { cache_control: CACHE } };
    const params = {
      system: [marked],
      messages: [
        { role: 'user', content: [marked, use, { type: 'tool_result', content: [marked], cache_control: CACHE }] },
      ],
      tools: [{ name: 'f', input_schema: { scope: 1 }, cache_control: CACHE }],
    };
    expect(toInvokeMessages(frozen(params), {})).toMatchObject({
      system: [clean],
      messages: [{ content: [clean, use, { content: [clean], cache_control: { type: 'ephemeral' } }] }],
      tools: [{ name: 'f', input_schema: { scope: 1 }, cache_control: { type: 'ephemeral' } }],
    });
  });
});

describe('a messages request for another model', () => {
  const convert = (params: JsonObject, target = LLAMA): JsonObject => toConverseMessages(frozen(params), target);
  const content = (block: object, target?: ConverseTarget): unknown => {
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'x' }, block] }];
    const [turn] = convert({ messages }, target)['messages'] as [{ content: unknown[] }];
    return turn.content.slice(1);
  };
  const base64 = (media_type: string) => ({ type: 'base64', media_type, data: 'AA==' });
  const bytes = { bytes: 'AA==' };

  test.for<{ rule: string; block: object; want: unknown[] }>([
    { rule: 'text', block: { type: 'text', text: 'a', cache_control: CACHE }, want: [{ text: 'a' }, POINT] },
    { rule: 'blank text', block: { type: 'text', text: ' ', cache_control: CACHE }, want: [] },
    {
      rule: 'an image',
      block: { type: 'image', source: base64('image/jpeg') },
      want: [{ image: { format: 'jpeg', source: bytes } }],
    },
    {
      rule: 'an image in a bucket',
      block: { type: 'image', source: { type: 'url', url: 's3://b/k.webp' } },
      want: [{ image: { format: 'webp', source: { s3Location: { uri: 's3://b/k.webp' } } } }],
    },
    {
      rule: 'a fetched image',
      block: { type: 'image', source: { type: 'url', url: 'https://x.example/a' } },
      want: [{ image: { format: 'gif', source: { bytes: 'R0=' } } }],
    },
    {
      rule: 'a document with title and citations',
      block: { type: 'document', source: base64('application/pdf'), title: 'My doc', citations: { enabled: true } },
      want: [{ document: { format: 'pdf', name: 'My doc', source: bytes, citations: { enabled: true } } }],
    },
    {
      rule: 'a document that is text',
      block: { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'words' } },
      want: [{ document: { format: 'txt', name: 'document-1', source: { text: 'words' } } }],
    },
    {
      rule: 'a failed tool answer with an image',
      block: {
        type: 'tool_result',
        tool_use_id: 't1',
        is_error: true,
        content: [
          { type: 'text', text: 'no', cache_control: CACHE },
          { type: 'image', source: base64('image/png') },
        ],
        cache_control: CACHE,
      },
      want: [
        {
          toolResult: {
            toolUseId: 't1',
            content: [{ text: 'no' }, { image: { format: 'png', source: bytes } }],
            status: 'error',
          },
        },
        POINT,
      ],
    },
    {
      rule: 'a tool answer that is text',
      block: { type: 'tool_result', tool_use_id: 't1', content: '42' },
      want: [{ toolResult: { toolUseId: 't1', content: [{ text: '42' }], status: 'success' } }],
    },
  ])('carries $rule', ({ block, want }) => {
    const remote = new Map([['https://x.example/a', { mimeType: 'image/gif', data: 'R0=' }]]);
    expect(content(block, { ...LLAMA, remote })).toEqual(want);
  });

  test.for<{ rule: string; block: object }>([
    {
      rule: 'a document by id, which only the vendor has',
      block: { type: 'document', source: { type: 'file', file_id: 'f' } },
    },
    { rule: 'an unknown block', block: { type: 'container_upload', file_id: 'f' } },
    { rule: 'an unknown block of a tool', block: { type: 'tool_result', content: [{ type: 'search_result' }] } },
  ])('refuses $rule', ({ block }) => {
    expect(() => content(block)).toThrow(UnsupportedPart);
  });

  test('carries what the assistant thought, said and called', () => {
    const said = [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'thinking', thinking: 'unsigned', signature: '' },
      { type: 'redacted_thinking', data: 'xx' },
      { type: 'text', text: 'ok' },
      { type: 'tool_use', id: 't1', name: 'f', input: { a: 1 } },
    ];
    expect(convert({ messages: [USER, { role: 'assistant', content: said }] })['messages']).toEqual([
      HI,
      {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } },
          { reasoningContent: { redactedContent: 'xx' } },
          { text: 'ok' },
          { toolUse: { toolUseId: 't1', name: 'f', input: { a: 1 } } },
        ],
      },
    ]);
  });

  const tool = { name: 'f', description: 'd', input_schema: { type: 'object' } };
  const spec = { toolSpec: { name: 'f', description: 'd', inputSchema: { json: { type: 'object' } } } };
  const used = [USER, { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'g', input: {} }] }];

  test.for<{ rule: string; params: JsonObject; want: JsonObject }>([
    { rule: 'a system text', params: { system: 'S' }, want: { system: [{ text: 'S' }] } },
    {
      rule: 'system blocks',
      params: { system: [{ type: 'text', text: 'S', cache_control: CACHE }] },
      want: { system: [{ text: 'S' }, POINT] },
    },
    {
      rule: 'sampling',
      params: { max_tokens: 5, temperature: 0.5, top_p: 0.9, stop_sequences: ['x'], top_k: 4 },
      want: {
        inferenceConfig: { maxTokens: 5, temperature: 0.5, topP: 0.9, stopSequences: ['x'] },
        additionalModelRequestFields: { top_k: 4 },
      },
    },
    {
      rule: 'metadata that is text',
      params: { metadata: { user_id: 'u', n: 1 } },
      want: { requestMetadata: { user_id: 'u' } },
    },
    {
      rule: 'tools, without those of the vendor',
      params: {
        tools: [
          { ...tool, type: 'custom', cache_control: CACHE },
          { type: 'bash_20250124', name: 'bash' },
        ],
      },
      want: { toolConfig: { tools: [spec, POINT] } },
    },
    {
      rule: 'a choice',
      params: { tools: [tool], tool_choice: { type: 'any' } },
      want: { toolConfig: { tools: [spec], toolChoice: { any: {} } } },
    },
    {
      rule: 'a free choice',
      params: { tools: [tool], tool_choice: { type: 'auto' } },
      want: { toolConfig: { tools: [spec], toolChoice: { auto: {} } } },
    },
    {
      rule: 'a choice by name',
      params: { tools: [tool], tool_choice: { type: 'tool', name: 'f' } },
      want: { toolConfig: { tools: [spec], toolChoice: { tool: { name: 'f' } } } },
    },
    { rule: 'no tools when none may be used', params: { tools: [tool], tool_choice: { type: 'none' } }, want: {} },
  ])('has $rule', ({ params, want }) => {
    expect(convert({ messages: [USER], ...params })).toEqual({ messages: [HI], ...want });
  });

  test('declares the tools its history used', () => {
    expect(convert({ messages: used })['toolConfig']).toEqual({
      tools: [{ toolSpec: { name: 'g', inputSchema: { json: { type: 'object', properties: {} } } } }],
    });
  });

  test('names what has to be fetched, inside tool answers too', () => {
    const image = (url: string) => ({ type: 'image', source: { type: 'url', url } });
    const messages = [
      {
        role: 'user',
        content: [image('https://x/a'), { type: 'tool_result', content: [image('https://x/b'), image('s3://b/k')] }],
      },
    ];
    expect(remoteUrlsOfMessages({ messages })).toEqual(['https://x/a', 'https://x/b']);
  });

  test('is made of any body, but for parts that are refused', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ role: fc.constantFrom('user', 'assistant'), content: fc.jsonValue() })),
        fc.jsonValue(),
        (messages, any) => {
          unlessRefused(() => convert({ messages, system: any, tools: any, tool_choice: any, metadata: any }));
          toInvokeMessages({ messages, system: any, tools: any }, {});
          unlessRefused(() => remoteUrlsOfMessages({ messages }));
        },
      ),
    );
  });
});
