import { goldenCases } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../errors/index.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { messagesOverChat } from './index.ts';
import { sampleContext } from './testing.ts';

const cases = goldenCases(new URL('fixtures/', import.meta.url));
const requestOf = (given: Readonly<Record<string, unknown>>): JsonObject => given['client_request'] as JsonObject;

describe('a message', () => {
  test.for(cases)('is asked for as a chat: $name', ({ given, check }) => {
    const { params, dropped } = messagesOverChat.adapt(requestOf(given), sampleContext({ top_k: false }));
    check('upstream_request', params);
    check('dropped', dropped);
  });

  test.for(cases.filter(({ given }) => given['upstream_response'] !== undefined))(
    'is answered from the answer of a chat: $name',
    ({ given, check }) => {
      const { toClient } = messagesOverChat.adapt(requestOf(given), sampleContext());
      check('client_response', toClient(given['upstream_response'] as JsonObject));
    },
  );
});

const adapt = (over: JsonObject, has: Readonly<Record<string, boolean>> = {}) =>
  messagesOverChat.adapt({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...over }, sampleContext(has));

describe('thinking', () => {
  test.for<[rule: string, given: JsonObject, want: JsonObject]>([
    [
      'a small budget is a low effort',
      { thinking: { type: 'enabled', budget_tokens: 1024 } },
      { reasoning_effort: 'low' },
    ],
    ['a larger one a medium', { thinking: { type: 'enabled', budget_tokens: 4096 } }, { reasoning_effort: 'medium' }],
    ['a large one a high', { thinking: { type: 'enabled', budget_tokens: 16_384 } }, { reasoning_effort: 'high' }],
    ['off asks for nothing', { thinking: { type: 'disabled' } }, {}],
    ['without a budget asks for nothing', { thinking: { type: 'adaptive' } }, {}],
    [
      'an effort wins over a budget',
      { thinking: { type: 'enabled', budget_tokens: 1024 }, output_config: { effort: 'max' } },
      { reasoning_effort: 'high' },
    ],
    ['an effort of the config passes', { reasoning_effort: 'minimal' }, { reasoning_effort: 'minimal' }],
    ['of another type asks for nothing', { thinking: 'yes', output_config: 7 }, {}],
  ])('%s', ([, given, want]) => {
    const { model: _, messages: __, ...rest } = adapt(given).params;
    expect(rest).toEqual(want);
  });

  test.for(['enabled', 'disabled', 'adaptive'])('that is %s is said where the body of the endpoint has it', (type) => {
    const { params } = adapt({ thinking: { type } }, { thinking: true });
    expect(params['thinking']).toEqual(type === 'adaptive' ? undefined : { type });
  });

  test('stays what it is where the body of the endpoint says it', () => {
    const thinking = { type: 'enabled', budget_tokens: 1024 };
    expect(adapt({ thinking, output_config: { effort: 'low' } }, { thinking: true }).params).toMatchObject({
      thinking,
      reasoning_effort: 'low',
    });
  });
});

describe('parameters', () => {
  test('that a config adds for the provider pass', () => {
    expect(adapt({ seed: 7, stream: true, verbosity: 'low' }).params).toMatchObject({
      seed: 7,
      stream: true,
      verbosity: 'low',
    });
  });

  test('that would make several answers are left out', () => {
    expect(adapt({ n: 3 }).params).not.toHaveProperty('n');
  });

  test('are copied where an endpoint may have them', () => {
    expect(adapt({ top_k: 5 }).params).toMatchObject({ top_k: 5 });
    expect(adapt({ top_k: 5 }).dropped).toEqual([]);
  });

  test.for<[rule: string, given: JsonObject, want: readonly string[]]>([
    ['nothing', {}, []],
    ['what asks for nothing', { service_tier: 'auto', container: null, betas: ['x'] }, []],
    ['tools of the vendor', { tools: [{ type: 'bash_20250124', name: 'bash' }] }, ['tools']],
    ['servers of tools', { mcp_servers: [{ url: 'https://x.test' }] }, ['mcp_servers']],
  ])('that no chat has are named: %s', ([, given, want]) => {
    const { params, dropped } = adapt(given);
    expect(dropped).toEqual(want);
    expect(Object.keys(params)).toEqual(['model', 'messages']);
  });

  test.for<[param: string, given: JsonObject, want: string]>([
    ['max_completion_tokens', { max_tokens: 5 }, 'max_tokens'],
    ['user', { metadata: { user_id: 'u' } }, 'metadata.user_id'],
    ['stop', { stop_sequences: ['a'] }, 'stop_sequences'],
    ['reasoning_effort', { output_config: { effort: 'low' }, thinking: {} }, 'output_config.effort'],
    ['reasoning_effort', { output_config: {}, thinking: {} }, 'thinking'],
    ['reasoning_effort', { reasoning_effort: 'low' }, 'reasoning_effort'],
    ['response_format', { output_format: {} }, 'output_format'],
    ['seed', { seed: 7 }, 'seed'],
  ])('have the name of the client in reports: %s of %j is %s', ([param, given, want]) => {
    expect(adapt(given).nameOf?.(param)).toBe(want);
  });

  test.for<[choice: JsonObject, want: unknown]>([
    [{ type: 'auto' }, 'auto'],
    [{ type: 'none' }, 'none'],
    [{ type: 'any' }, 'required'],
    [
      { type: 'tool', name: 'wave' },
      { type: 'function', function: { name: 'wave' } },
    ],
    [{ type: 'odd' }, undefined],
  ])('the choice %j of a tool is %j', ([tool_choice, want]) => {
    const tools = [{ name: 'wave' }];
    expect(adapt({ tools, tool_choice }).params['tool_choice']).toEqual(want);
    expect(adapt({ tool_choice }).params, 'a choice of no tools is refused upstream').not.toHaveProperty('tool_choice');
  });
});

describe('a request that cannot be read is refused, and its place is named', () => {
  const user = (content: unknown): JsonObject => ({ messages: [{ role: 'user', content }] });
  test.for<[param: string, code: string, given: JsonObject]>([
    ['messages', 'PARAMETER_INVALID', { messages: 'Hi' }],
    ['messages[0]', 'PARAMETER_INVALID', { messages: ['Hi'] }],
    ['messages[0].role', 'PARAMETER_INVALID', { messages: [{ role: 'tool', content: 'x' }] }],
    ['messages[0].content', 'PARAMETER_INVALID', user(7)],
    ['messages[0].content[1]', 'PARAMETER_INVALID', user([{ type: 'text', text: 'a' }, null])],
    ['messages[0].content[0]', 'CONTENT_UNSUPPORTED', user([{ type: 'container_upload', file_id: 'f' }])],
    ['messages[0].content[0]', 'CONTENT_UNSUPPORTED', user([{ type: 'image' }])],
    [
      'messages[0].content[0]',
      'CONTENT_UNSUPPORTED',
      user([{ type: 'image', source: { type: 'file', file_id: 'f' } }]),
    ],
    ['messages[0].content[0]', 'CONTENT_UNSUPPORTED', user([{ type: 'document', source: { type: 'base64' } }])],
    ['tools', 'PARAMETER_INVALID', { tools: 'x' }],
    ['tools[1]', 'PARAMETER_INVALID', { tools: [{ name: 'f', input_schema: {} }, null] }],
    ['tools[0].name', 'PARAMETER_INVALID', { tools: [{ input_schema: {} }] }],
    ['tool_choice', 'PARAMETER_INVALID', { tools: [{ name: 'f' }], tool_choice: 'any' }],
    ['tool_choice.name', 'PARAMETER_INVALID', { tools: [{ name: 'f' }], tool_choice: { type: 'tool' } }],
    ['system', 'PARAMETER_INVALID', { system: 7 }],
    ['system[0]', 'CONTENT_UNSUPPORTED', { system: [{ type: 'image' }] }],
    [
      'messages[0].content[0].content[0]',
      'CONTENT_UNSUPPORTED',
      user([{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'odd' }] }]),
    ],
    [
      'messages[0].content[0].source.content[0]',
      'CONTENT_UNSUPPORTED',
      user([{ type: 'document', source: { type: 'content', content: [{ type: 'odd' }] } }]),
    ],
  ])('%s: %s', ([param, code, given]) => {
    expect(() => adapt(given)).toThrow(expect.objectContaining({ code, param }));
  });

  test('with nothing of what it holds', () => {
    const secret = 'sk-secret '.repeat(10);
    expect(() => adapt({ messages: [{ role: 'user', content: [{ type: secret }] }] })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('secret') }),
    );
  });
});

test('parts that the provider refuses later have places in the body of the client', () => {
  const source = { type: 'url', url: 'https://x.test/a.png' };
  const content = [
    { type: 'tool_result', tool_use_id: 't', content: [{ type: 'image', source }] },
    { type: 'text', text: 'a' },
    { type: 'image', source },
  ];
  const { params, placeOf } = adapt({ messages: [{ role: 'user', content }] });
  const messages = params['messages'] as { content: object[] }[];
  expect(messages[1]?.content.map((part) => placeOf?.(part))).toEqual([
    'messages[0].content[0].content[0]',
    'messages[0].content[1]',
    'messages[0].content[2]',
  ]);
  expect(placeOf?.({})).toBeUndefined();
});

describe('an answer', () => {
  const answered = (choice: JsonObject): JsonObject =>
    adapt({}).toClient({ choices: [choice] }) as { content: unknown; stop_reason: unknown } & JsonObject;

  test.for<[reason: unknown, want: string]>([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['content_filter', 'refusal'],
    ['tool_calls', 'tool_use'],
    ['SAFETY', 'refusal'],
    ['anything', 'end_turn'],
    [null, 'end_turn'],
  ])('that finished with %j stopped with %j', ([finish_reason, want]) => {
    expect(answered({ message: { content: 'a' }, finish_reason })['stop_reason']).toBe(want);
  });

  test('of tool calls stopped for them, whatever the provider says', () => {
    const message = { content: null, tool_calls: [{ id: 'c', function: { name: 'a', arguments: '{}' } }] };
    expect(answered({ message, finish_reason: 'stop' })['stop_reason']).toBe('tool_use');
    expect(answered({ message, finish_reason: 'length' })['stop_reason']).toBe('max_tokens');
  });

  test('without an id, a model or usage has them', () => {
    expect(answered({ message: { content: [{ type: 'text', text: 'a' }, 7] } })).toMatchObject({
      id: `msg_${'n'.repeat(24)}`,
      model: 'asked',
      content: [{ type: 'text', text: 'a' }],
      usage: { input_tokens: 0, output_tokens: 0 },
    });
  });

  test.for<[answer: JsonObject]>([[{}], [{ choices: [] }], [{ choices: [{}] }], [{ choices: 'x' }]])(
    'that is none is an error of the provider: %j',
    ([answer]) => {
      expect(() => adapt({}).toClient(answer)).toThrow(
        expect.objectContaining({ code: 'UPSTREAM_INVALID_RESPONSE', provider: 'acme' }),
      );
    },
  );
});

test('whatever a body holds, it is a chat or an error that names a place', () => {
  const key = fc.constantFrom(
    ...['type', 'text', 'content', 'source', 'data', 'media_type', 'url', 'file_id', 'title', 'context', 'id', 'name'],
    ...['input', 'tool_use_id', 'role', 'thinking', 'signature', 'budget_tokens', 'effort', 'format', 'schema'],
  );
  const word = fc.constantFrom(
    ...['text', 'image', 'document', 'tool_use', 'tool_result', 'thinking', 'redacted_thinking', 'search_result'],
    ...['base64', 'url', 'file', 'content', 'user', 'assistant', 'json_schema', 'enabled', 'any', 'tool', '__proto__'],
  );
  const value = fc.object({ key, values: [word, fc.string(), fc.integer(), fc.constant(null)], maxDepth: 5 });
  const list = fc.array(fc.oneof(value, word), { maxLength: 3 });
  const message = fc.record({ role: fc.constantFrom('user', 'assistant', 'system'), content: fc.oneof(list, word) });
  const body = fc.dictionary(
    fc.constantFrom(
      ...['system', 'tools', 'tool_choice', 'thinking', 'output_config', 'metadata', 'stop_sequences', 'top_k'],
    ),
    fc.oneof(value, list, word),
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(message, value), { maxLength: 4 }), body, (messages, rest) => {
      try {
        const { params } = adapt({ ...rest, messages });
        expect(Array.isArray(params['messages'])).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(AppError);
        expect(error).toMatchObject({ param: expect.stringMatching(/^(?:messages|system|tools|tool_choice)/) });
      }
    }),
  );
});
