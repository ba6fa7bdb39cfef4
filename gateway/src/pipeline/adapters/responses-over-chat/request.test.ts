import { describe, expect, test } from 'vitest';
import { adapt } from './testing.ts';

const items = (...input: unknown[]): object => ({ input });
const parts = (...content: unknown[]): object => items({ role: 'user', content });

describe('a request that a chat cannot say', () => {
  test.for<[rule: string, params: object, code: string, param: string]>([
    ['a response that is stored', { previous_response_id: 'resp_1' }, 'PARAMETER_UNSUPPORTED', 'previous_response_id'],
    ['a conversation that is stored', { conversation: { id: 'c' } }, 'PARAMETER_UNSUPPORTED', 'conversation'],
    ['a prompt that is stored', { prompt: { id: 'p' } }, 'PARAMETER_UNSUPPORTED', 'prompt'],
    ['work in the background', { background: true }, 'PARAMETER_UNSUPPORTED', 'background'],
    [
      'a tool that the provider runs',
      { tools: [{ type: 'function', name: 'f' }, { type: 'web_search' }] },
      ...(['PARAMETER_UNSUPPORTED', 'tools[1]'] as const),
    ],
    [
      'such a tool in a namespace',
      { tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'f' }, { type: 'mcp' }] }] },
      ...(['PARAMETER_UNSUPPORTED', 'tools[0].tools[1]'] as const),
    ],
    [
      'a namespace in a namespace',
      { tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'namespace', name: 'm', tools: [] }] }] },
      ...(['PARAMETER_UNSUPPORTED', 'tools[0].tools[0]'] as const),
    ],
    [
      'the choice of a tool that the provider runs',
      { tool_choice: { type: 'file_search' } },
      ...(['PARAMETER_UNSUPPORTED', 'tool_choice'] as const),
    ],
    ['a reference to an item', items({ type: 'item_reference', id: 'm' }), 'CONTENT_UNSUPPORTED', 'input[0]'],
    [
      'a call of a tool that the provider ran',
      items({ role: 'user', content: 'Hi' }, { type: 'web_search_call', id: 'w' }),
      ...(['CONTENT_UNSUPPORTED', 'input[1]'] as const),
    ],
    ['an item without a type', items({}), 'CONTENT_UNSUPPORTED', 'input[0]'],
    ['an unknown part', parts({ type: 'input_smell' }), 'CONTENT_UNSUPPORTED', 'input[0].content[0]'],
    [
      'an image of the provider',
      parts({ type: 'input_text', text: 'a' }, { type: 'input_image', file_id: 'f' }),
      ...(['CONTENT_UNSUPPORTED', 'input[0].content[1]'] as const),
    ],
  ])('is refused and named: %s', ([, params, code, param]) => {
    expect(() => adapt({ ...params })).toThrow(expect.objectContaining({ code, param, provider: 'acme' }));
  });

  test('is refused without repeating what the client wrote', () => {
    const secret = 'sk-secret of the client';
    const refused = (params: object) => () => adapt({ ...params });
    expect(refused({ tools: [{ type: secret }] })).toThrow(/a tool of an unknown type/);
    expect(refused(items({ type: secret }))).toThrow(/item of an unknown type/);
    expect(refused({ tools: [{ type: 'web_search' }] })).toThrow(/a tool of type web_search/);
  });
});

describe('a request of the wrong shape', () => {
  const call = { type: 'function_call', call_id: 'c', name: 'f' };
  test.for<[rule: string, params: object, param: string]>([
    ['no input', { input: undefined }, 'input'],
    ['an input that is no list', { input: 7 }, 'input'],
    ['an item that is no object', items('Hi'), 'input[0]'],
    ['instructions that are no text', { instructions: ['a'] }, 'instructions'],
    ['a message without a role', items({ type: 'message', content: 'Hi' }), 'input[0].role'],
    ['a content that is no list', items({ role: 'user', content: 7 }), 'input[0].content'],
    ['a part that is no object', parts('Hi'), 'input[0].content[0]'],
    ['a text part without a text', parts({ type: 'input_text' }), 'input[0].content[0].text'],
    ['an image without an address', parts({ type: 'input_image' }), 'input[0].content[0].image_url'],
    ['a file without a content', parts({ type: 'input_file', filename: 'a' }), 'input[0].content[0]'],
    ['a call without a name', items({ ...call, name: undefined }), 'input[0].name'],
    ['a call without an id', items({ ...call, call_id: undefined }), 'input[0].call_id'],
    ['an output without an id', items({ type: 'function_call_output', output: 'a' }), 'input[0].call_id'],
    ['an output that is a number', items({ type: 'function_call_output', call_id: 'c', output: 7 }), 'input[0].output'],
    ['tools that are no list', { tools: { type: 'function' } }, 'tools'],
    ['a tool that is no object', { tools: ['f'] }, 'tools[0]'],
    ['a function without a name', { tools: [{ type: 'function', function: { name: 'f' } }] }, 'tools[0].name'],
    ['a namespace without a name', { tools: [{ type: 'namespace', tools: [] }] }, 'tools[0].name'],
    ['a namespace without tools', { tools: [{ type: 'namespace', name: 'n' }] }, 'tools[0].tools'],
    [
      'a tool of a namespace that is no object',
      { tools: [{ type: 'namespace', name: 'n', tools: ['f'] }] },
      'tools[0].tools[0]',
    ],
    ['a choice that is a number', { tool_choice: 7 }, 'tool_choice'],
    ['a choice without a name', { tool_choice: { type: 'function' } }, 'tool_choice.name'],
    ['a choice among no list', { tool_choice: { type: 'allowed_tools' } }, 'tool_choice.tools'],
    ['a text setting that is no object', { text: 'json' }, 'text'],
    ['a format that is no object', { text: { format: 'json' } }, 'text.format'],
    ['an unknown format', { text: { format: { type: 'xml' } } }, 'text.format.type'],
    ['a schema that is no object', { text: { format: { type: 'json_schema' } } }, 'text.format.schema'],
  ])('is refused and named: %s', ([, params, param]) => {
    expect(() => adapt({ ...params })).toThrow(expect.objectContaining({ code: 'PARAMETER_INVALID', param }));
  });
});
