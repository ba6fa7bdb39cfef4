import { describe, expect, test } from 'vitest';
import { AppError } from '../../../errors/index.ts';
import { toCohereBody } from '../../../wire/cohere/index.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { createRelayTransform } from '../../../wire/transform/index.ts';
import type { Entered } from '../door.ts';
import { DoorTransform } from '../transform.ts';
import { cohereChat, cohereEmbed, cohereRerank } from './index.ts';

const context = { query: '', now: () => 0, elapsedMs: () => 2 };
const enter = (given: JsonObject): Entered => cohereChat.enter({ model: 'm', messages: [], ...given }, context);

const chunk = (delta: object, finish: string | null = null): object => ({
  ...{ id: 'c', choices: [{ index: 0, delta, finish_reason: finish }] },
});
const SSE = Buffer.from(
  [
    chunk({ reasoning_content: 'Hm' }),
    chunk({ content: 'Grüße ' }),
    chunk({ content: 'Welt' }),
    chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }, 'tool_calls'),
    { choices: [], usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 } },
  ]
    .map((data) => `data: ${JSON.stringify(data)}\n\n`)
    .join(''),
);
function transform(): DoorTransform {
  const { stream } = enter({});
  if (stream === undefined) throw new Error('chats have streams');
  return new DoorTransform(createRelayTransform('chat'), stream.open(), undefined);
}
function read(pieces: readonly Buffer[]): string {
  const made = transform();
  return pieces.map((piece) => made.push(piece) ?? '').join('') + made.end();
}
const eventsOf = (text: string): readonly JsonObject[] =>
  text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 6)));
const typesOf = (text: string): readonly unknown[] => eventsOf(text).map(({ type }) => type);

describe('a stream', () => {
  test('is the same events wherever its bytes are cut', () => {
    const whole = read([SSE]);
    expect(typesOf(whole)).toEqual([
      ...['message-start', 'content-start', 'content-delta', 'content-end'],
      ...['content-start', 'content-delta', 'content-delta', 'content-end'],
      ...['tool-call-start', 'tool-call-delta', 'tool-call-end', 'message-end'],
    ]);
    const events = eventsOf(whole);
    expect(events.map(({ index }) => index)).toEqual([undefined, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, undefined]);
    expect(events[8]).toMatchObject({ delta: { message: { tool_calls: { id: 'a', function: { name: 'f' } } } } });
    expect(events[9]).toMatchObject({ delta: { message: { tool_calls: { function: { arguments: '{"x":1}' } } } } });
    expect(events.at(-1)).toMatchObject({
      delta: { finish_reason: 'TOOL_CALL', usage: { tokens: { input_tokens: 3, output_tokens: 5 } } },
    });
    for (let at = 0; at <= SSE.length; at += 1) {
      expect(read([SSE.subarray(0, at), SSE.subarray(at)])).toBe(whole);
    }
  });

  test('that breaks, or ends without a reason, ends with an error', () => {
    const last = { type: 'message-end', delta: { finish_reason: 'ERROR', error: expect.any(String) } };
    const made = transform();
    made.push(SSE.subarray(0, 300));
    expect(eventsOf(made.fail(new AppError('UPSTREAM_STREAM_BROKEN'))).at(-1)).toEqual(last);
    const text = read([Buffer.from(`data: ${JSON.stringify(chunk({ content: 'Hel' }))}\n\n`)]);
    expect(eventsOf(text).at(-1)).toEqual(last);
  });
});

describe('a request', () => {
  const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } };
  const given = {
    model: 'm',
    messages: [
      { role: 'system', content: 'Be short.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'image_url', image_url: { url: 'data:,a' } },
        ],
      },
      {
        role: 'assistant',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
        tool_plan: 'I look it up',
      },
      { role: 'tool', tool_call_id: 'a', content: 'found' },
    ],
    tools: [tool],
    tool_choice: 'REQUIRED',
    strict_tools: true,
    max_tokens: 9,
    stop_sequences: ['x'],
    p: 0.5,
    k: 3,
    temperature: 0.1,
    seed: 1,
    response_format: { type: 'json_object', json_schema: { type: 'object' } },
    thinking: { type: 'enabled', token_budget: 100 },
    documents: ['one'],
    safety_mode: 'OFF',
  };

  test('is the same again for a model of Cohere', () => {
    expect(toCohereBody(enter(given).params, 'm')).toEqual(given);
  });

  test('has results of tools as texts', () => {
    const content = [{ type: 'document', document: { data: { a: 1 } } }];
    const { params } = enter({ messages: [{ role: 'tool', tool_call_id: 'a', content }] });
    expect(params['messages']).toEqual([{ role: 'tool', tool_call_id: 'a', content: '{"a":1}' }]);
  });

  test.for<[param: string, given: JsonObject]>([
    ['messages', { messages: 7 }],
    ['messages[0]', { messages: ['Hi'] }],
    ['messages[0].role', { messages: [{ role: 'x' }] }],
    ['messages[0].content', { messages: [{ role: 'user', content: 7 }] }],
    ['messages[0].content[0].type', { messages: [{ role: 'user', content: [{ type: 'x' }] }] }],
    ['messages[0].tool_call_id', { messages: [{ role: 'tool', content: '' }] }],
    ['tool_choice', { tools: [tool], tool_choice: 'x' }],
    ['tools', { tools: 7 }],
    ['response_format', { response_format: 7 }],
    ['stream', { stream: 'yes' }],
  ])('of the wrong shape is refused by name: %s', ([param, wrong]) => {
    expect(() => enter(wrong)).toThrow(expect.objectContaining({ code: 'PARAMETER_INVALID', param }));
  });

  test.for(['images', 'inputs'])('for vectors of more than texts is refused: %s', (param) => {
    expect(() => cohereEmbed.enter({ model: 'm', texts: ['a'], [param]: ['x'] }, context)).toThrow(
      expect.objectContaining({ code: 'PARAMETER_UNSUPPORTED', param }),
    );
  });
});

test('ranked documents are as Cohere has them', () => {
  const { toClient } = cohereRerank.enter({ model: 'm', query: 'q', documents: ['a'] }, context);
  expect(
    toClient({ id: 'r', results: [{ index: 0, relevance_score: 0.5, document: {} }], usage: { search_units: 1 } }),
  ).toEqual({
    id: 'r',
    results: [{ index: 0, relevance_score: 0.5 }],
    meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
  });
});
