/** What answers say beside their texts: what a provider has run itself, citations and grounding. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../wire/contract.ts';
import type { RequestType } from '../contract.ts';
import { placesOf, withTexts } from './index.ts';

interface Case {
  readonly name: string;
  /** Of an answer. */
  readonly body: JsonObject;
  readonly want: readonly string[];
}

const called = (type: string, input: object) => ({ type, id: 'srvtoolu_1', name: 'code_execution', input });
const resultOf = (tool: string, content: unknown) => ({
  type: `${tool}_tool_result`,
  tool_use_id: 'srvtoolu_1',
  content,
});

/** Sources: Anthropic API, code execution, web search, web fetch, MCP connector and citations. */
const BLOCKS: readonly Case[] = [
  {
    name: 'code that ran, whatever its members are called',
    body: { content: [called('server_tool_use', { type: 'a', id: 'b', lines: ['c', 7], nested: { data: 'd' } })] },
    want: ['a', 'b', 'c', 'd'],
  },
  { name: 'a call of a server of tools', body: { content: [called('mcp_tool_use', { query: 'a' })] }, want: ['a'] },
  {
    name: 'output of code',
    body: {
      content: [
        resultOf('code_execution', {
          type: 'code_execution_result',
          stdout: 'a',
          stderr: 'b',
          return_code: 0,
          content: [{ type: 'code_execution_output', file_id: 'file_1' }],
        }),
        resultOf('bash_code_execution', { type: 'bash_code_execution_result', stdout: 'c', stderr: '', content: [] }),
        resultOf('text_editor_code_execution', {
          type: 'text_editor_code_execution_view_result',
          file_type: 'text',
          content: 'd',
          lines: ['e'],
        }),
        resultOf('code_execution', { type: 'encrypted_code_execution_result', encrypted_stdout: 'x', stderr: 'f' }),
      ],
    },
    want: ['a', 'b', 'c', 'd', 'e', 'f'],
  },
  {
    name: 'what a search has found, without what only the provider reads',
    body: {
      content: [
        resultOf('web_search', [
          { type: 'web_search_result', url: 'a', title: 'b', encrypted_content: 'x', page_age: '1 day' },
        ]),
      ],
    },
    want: ['a', 'b'],
  },
  {
    name: 'pages that were read, and no files',
    body: {
      content: [
        resultOf('web_fetch', {
          type: 'web_fetch_result',
          url: 'a',
          content: { type: 'document', title: 'b', source: { type: 'text', media_type: 'text/plain', data: 'c' } },
          retrieved_at: '2026-01-01',
        }),
        resultOf('web_fetch', { content: { source: { type: 'base64', media_type: 'application/pdf', data: 'x' } } }),
        resultOf('mcp', [{ type: 'text', text: 'd' }]),
        resultOf('mcp', 'e'),
      ],
    },
    want: ['a', 'b', 'c', '', 'd', 'e'],
  },
  {
    name: 'errors of tools, whose codes say nothing',
    body: { content: [resultOf('web_search', { error_code: 'x' })] },
    want: [''],
  },
  {
    name: 'citations behind their text',
    body: {
      content: [
        {
          type: 'text',
          text: 'a',
          citations: [
            { type: 'char_location', cited_text: 'b', document_index: 0, document_title: 'c', file_id: 'x' },
            { type: 'web_search_result_location', cited_text: 'd', url: 'e', title: 'f', encrypted_index: 'x' },
          ],
        },
        { type: 'text', text: 'g', citations: null },
      ],
    },
    want: ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
  },
];

/** Source: OpenAI Responses API, output items. */
const ITEMS: readonly Case[] = [
  {
    name: 'code that ran, and its logs, without images',
    body: {
      output: [
        {
          type: 'code_interpreter_call',
          id: 'ci_1',
          status: 'completed',
          container_id: 'cntr_1',
          code: 'a',
          outputs: [
            { type: 'logs', logs: 'b' },
            { type: 'image', url: 'data:image/png;base64,AA==' },
          ],
        },
        { type: 'image_generation_call', id: 'ig_1', result: 'AA==', revised_prompt: 'c' },
        { type: 'shell_call', action: { commands: ['d'] } },
        { type: 'shell_call_output', output: [{ stdout: 'e', stderr: 'f', outcome: { type: 'exit', exit_code: 0 } }] },
      ],
    },
    want: ['a', 'b', 'c', 'd', 'e', 'f'],
  },
  {
    name: 'searches',
    body: {
      output: [
        {
          type: 'web_search_call',
          id: 'ws_1',
          action: { type: 'search', query: 'a', sources: [{ type: 'url', url: 'b' }] },
        },
        {
          type: 'file_search_call',
          queries: ['c'],
          results: [{ file_id: 'f', filename: 'd', text: 'e', score: 0.5, attributes: { id: 'f' } }],
        },
      ],
    },
    want: ['a', 'b', 'c', 'd', 'e', 'f'],
  },
  {
    name: 'strings in the arguments of a call, as they read, and its output',
    body: {
      output: [
        { type: 'mcp_call', name: 'x', server_label: 'x', arguments: '{"to": "\\u0061\\n", "k":["b",1]}', output: 'c' },
        { type: 'mcp_approval_request', arguments: '{print(d)}' },
        { type: 'mcp_list_tools', server_label: 'x', tools: [{ name: 'x', description: 'e' }] },
      ],
    },
    want: ['a\n', 'b', 'c', '{print(d)}', 'e'],
  },
  {
    name: 'annotations behind their text',
    body: {
      output: [
        {
          type: 'message',
          content: [
            {
              type: 'output_text',
              text: 'a',
              annotations: [
                { type: 'url_citation', url: 'b', title: 'c', start_index: 0, end_index: 1 },
                { type: 'file_citation', file_id: 'x', filename: 'd' },
              ],
            },
          ],
        },
      ],
    },
    want: ['a', 'b', 'c', 'd'],
  },
  {
    name: 'nothing of calls that a client answers',
    body: {
      output: [
        { type: 'function_call', arguments: '{"a":"x"}' },
        { type: 'custom_tool_call', input: 'x' },
        { type: 'computer_call', action: { text: 'x' } },
        { type: 'local_shell_call', action: { command: ['x'] } },
        { type: 'apply_patch_call', operation: { diff: 'x' } },
      ],
    },
    want: [],
  },
];

const chat = (choice: object, root: object = {}): JsonObject => ({
  choices: [choice, { message: { content: 'x' }, groundingMetadata: { webSearchQueries: ['x'] } }],
  ...root,
});

/** Sources: Gemini API, GroundingMetadata; Cohere API v2, citations; OpenAI chat completions, annotations. */
const CHATS: readonly Case[] = [
  {
    name: 'grounding',
    body: chat({
      message: { content: 'a' },
      groundingMetadata: {
        webSearchQueries: ['b'],
        searchEntryPoint: { renderedContent: '<p>c</p>', sdkBlob: 'x' },
        groundingChunks: [
          { web: { uri: 'd', title: 'e', domain: 'f' } },
          { retrievedContext: { text: 'g' } },
          { maps: { placeId: 'x' } },
        ],
        groundingSupports: [{ segment: { startIndex: 0, endIndex: 1, text: 'h' }, groundingChunkIndices: [0] }],
      },
      citationMetadata: { citations: [{ startIndex: 0, uri: 'i', title: 'j', license: 'k' }] },
      urlContextMetadata: { urlMetadata: [{ retrievedUrl: 'l', urlRetrievalStatus: 'x' }] },
    }),
    want: ['a', 'b', '<p>c</p>', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'],
  },
  {
    name: 'citations of Cohere, with the documents they are from',
    body: chat(
      { message: { content: 'a' } },
      {
        citations: [
          {
            start: 0,
            end: 1,
            text: 'b',
            type: 'TEXT_CONTENT',
            sources: [
              { type: 'document', id: 'x', document: { id: 'c', title: 'd' } },
              { type: 'tool', id: 'x', tool_output: { name: 'e' } },
            ],
          },
        ],
      },
    ),
    want: ['a', 'b', 'c', 'd', 'e'],
  },
  {
    name: 'addresses and results of a search',
    body: chat(
      { message: { content: 'a' } },
      { citations: ['b'], search_results: [{ title: 'c', url: 'd', date: 'e' }] },
    ),
    want: ['a', 'b', 'c', 'd', 'e'],
  },
  {
    name: 'a refusal',
    body: chat({ message: { content: null, refusal: 'a' } }),
    want: ['a'],
  },
  {
    name: 'annotations',
    body: chat({
      message: { content: null, annotations: [{ type: 'url_citation', url_citation: { url: 'a', title: 'b' } }] },
    }),
    want: ['a', 'b'],
  },
  {
    name: 'blocks of Anthropic, also those of an assembled stream',
    body: chat({
      message: {
        content: 'a',
        content_blocks: [
          { type: 'text', text: 'a', citations: [{ cited_text: 'b' }] },
          { type: 'text', text: '', citation: { cited_text: 'c' } },
          { ...called('server_tool_use', {}), partial_json: '{"code":"d"}' },
          resultOf('code_execution', { stdout: 'e' }),
        ],
      },
    }),
    want: ['a', 'b', 'c', 'd', 'e'],
  },
  {
    name: 'tools that Groq has run, without pictures',
    body: chat({
      message: {
        content: 'a',
        executed_tools: [
          {
            index: 0,
            type: 'python',
            arguments: '{"code":"\\u0062"}',
            output: 'c',
            code_results: [{ text: 'd', png: 'AA==' }],
            search_results: { results: [{ title: 'e', url: 'f', content: 'g', score: 0.5 }] },
          },
        ],
      },
    }),
    want: ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
  },
  {
    name: 'the data of Azure OpenAI',
    body: chat({
      message: {
        content: 'a',
        context: { citations: [{ content: 'b', title: 'c', url: 'd', filepath: null, chunk_id: '0' }], intent: 'e' },
      },
    }),
    want: ['a', 'b', 'c', 'd', 'e'],
  },
  {
    name: 'citations and results in a message, and further questions',
    body: chat(
      {
        message: {
          content: 'a',
          citations: ['b', { url: 'c', title: 'd', text: 'e' }],
          search_results: [{ title: 'f', url: 'g', snippet: 'h' }],
        },
      },
      { related_questions: ['i', 'j'] },
    ),
    want: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'],
  },
  {
    name: 'what a sound says',
    body: chat({ message: { content: null, audio: { id: 'audio_1', data: 'AA==', expires_at: 1, transcript: 'a' } } }),
    want: ['a'],
  },
  {
    name: 'the text of blocks, where it is not that of the content',
    body: chat({
      message: {
        content: 'a',
        content_blocks: [
          { type: 'text', text: 'b' },
          { type: 'thinking', thinking: 'x' },
          { type: 'text', text: 'c', citations: [{ cited_text: 'd' }] },
        ],
      },
    }),
    want: ['a', 'b', 'c', 'd'],
  },
  {
    name: 'the text of blocks beside none',
    body: chat({ message: { content: null, content_blocks: [{ type: 'text', text: 'a' }] } }),
    want: ['a'],
  },
];

const ALL = [
  ...BLOCKS.map((each) => ({ type: 'messages' as const, ...each })),
  ...ITEMS.map((each) => ({ type: 'createModelResponse' as const, ...each })),
  ...CHATS.map((each) => ({ type: 'chatComplete' as const, ...each })),
];
const textsOf = (type: RequestType, body: JsonObject, phase: 'input' | 'output' = 'output') =>
  placesOf(type, phase, body).map(({ text }) => text);

describe('an answer has texts beside its own', () => {
  test.each(ALL)('$type: $name', ({ type, body, want }) => {
    expect(textsOf(type, body)).toEqual(want);
    const before = structuredClone(body);
    const marked = want.map((text) => (text === '' ? '' : `<"${text}">`));
    const changed = withTexts(body, placesOf(type, 'output', body), marked);
    expect(textsOf(type, changed)).toEqual(marked);
    expect(body).toEqual(before);
  });

  test.each([
    ...BLOCKS.map(({ name, body, want }) => ({
      name,
      want,
      type: 'messages' as const,
      body: { messages: [{ role: 'assistant', ...body }] },
    })),
    ...ITEMS.map(({ name, body, want }) => ({
      name,
      want,
      type: 'createModelResponse' as const,
      body: { input: body['output'] },
    })),
  ])('that are looked at in a request, too: $name', ({ type, body, want }) => {
    expect(textsOf(type, body, 'input')).toEqual(want);
  });
});
