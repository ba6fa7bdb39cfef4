/** There and back: what both formats can say is the same afterwards. */
import { unwrap } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAnthropicDecoder, fromAnthropicAnswer, toAnthropicBody } from '../../../wire/anthropic/index.ts';
import type { JsonObject, StreamItem } from '../../../wire/contract.ts';
import { messagesOverChat } from './index.ts';
import { sampleContext } from './testing.ts';

const context = sampleContext();
const WIRE = { ...context, model: 'm', strict: false, params: {} };

const word = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' });
const input = fc.dictionary(word, fc.oneof(word, fc.integer(), fc.boolean(), fc.array(word, { maxLength: 3 })));
const text = word.map((it) => ({ type: 'text', text: it }));
const source = fc.oneof(
  fc.constant({ type: 'base64', media_type: 'image/png', data: 'aW1hZ2U=' }),
  fc.webUrl().map((url) => ({ type: 'url', url })),
);
const image = source.map((it) => ({ type: 'image', source: it }));
const document = fc.constant({
  type: 'document',
  source: { type: 'base64', media_type: 'application/pdf', data: 'cGRm' },
});
const thought = fc.record({ thinking: word, signature: word }).map((it) => ({ type: 'thinking', ...it }));
const call = fc.record({ id: word, name: word, input }).map((it) => ({ type: 'tool_use', ...it }));
const result = fc.record({ tool_use_id: word, content: word }).map((it) => ({ type: 'tool_result', ...it }));

const list = <T>(one: fc.Arbitrary<T>, maxLength: number, minLength = 0): fc.Arbitrary<T[]> =>
  fc.array(one, { minLength, maxLength });

const user = fc
  .tuple(list(result, 2), list(fc.oneof(text, image, document), 3))
  .filter(([results, parts]) => results.length + parts.length > 0)
  .map(([results, parts]) => ({ role: 'user', content: [...results, ...parts] }));
const assistant = fc
  .tuple(list(thought, 2), list(text, 1, 1), list(call, 3))
  .map((blocks) => ({ role: 'assistant', content: blocks.flat() }));
const turns = list(fc.tuple(user, assistant), 3, 1).map((pairs) => pairs.flat());

const tools = list(
  fc.record({ name: word, description: word, input_schema: fc.constant({ type: 'object', properties: {} }) }),
  3,
  1,
);
const choice = fc.oneof(
  fc.constantFrom({ type: 'auto' }, { type: 'any' }, { type: 'none' }),
  fc.record({ type: fc.constantFrom('auto', 'any'), disable_parallel_tool_use: fc.constant(true) }),
  word.map((name) => ({ type: 'tool', name })),
);
const request = fc.record(
  {
    model: fc.constant('m'),
    max_tokens: fc.nat(10_000),
    messages: turns,
    system: word,
    temperature: fc.double({ min: 0, max: 1, noNaN: true }),
    top_p: fc.double({ min: 0, max: 1, noNaN: true }),
    top_k: fc.nat(100),
    stop_sequences: list(word, 3, 1),
    metadata: fc.record({ user_id: word }),
    tools,
    stream: fc.constant(true),
  },
  { requiredKeys: ['model', 'max_tokens', 'messages', 'tools'] },
);

/** Contents as lists of blocks. */
const normal = (body: JsonObject): unknown => {
  const blocks = (content: unknown): unknown =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const messages = body['messages'] as readonly JsonObject[];
  return {
    ...body,
    ...(body['system'] === undefined ? {} : { system: blocks(body['system']) }),
    messages: messages.map((message) => ({ ...message, content: blocks(message['content']) })),
  };
};

test('a request', () => {
  fc.assert(
    fc.property(request, choice, (given, tool_choice) => {
      const body = { ...given, tool_choice };
      const { params, dropped } = messagesOverChat.adapt(body, context);
      expect(dropped).toEqual([]);
      const back = unwrap(toAnthropicBody(params, WIRE));
      expect(normal(back)).toEqual(normal(body));
    }),
  );
});

const usage = fc.record({
  input_tokens: fc.nat(1000),
  output_tokens: fc.nat(1000),
  cache_read_input_tokens: fc.integer({ min: 1, max: 1000 }),
  cache_creation_input_tokens: fc.nat(1000),
});
const message = fc
  .record({ thoughts: list(thought, 2), texts: list(text, 1), calls: list(call, 3), usage })
  .map(({ thoughts, texts, calls, usage: used }) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm-1',
    content: [...thoughts, ...texts, ...calls],
    stop_reason: calls.length > 0 ? 'tool_use' : 'max_tokens',
    stop_sequence: null,
    usage: used,
  }));

const adaptation = () => messagesOverChat.adapt({ messages: [] }, context);

test('an answer', () => {
  fc.assert(
    fc.property(message, (given) => {
      const chat = unwrap(fromAnthropicAnswer(given, WIRE));
      expect(adaptation().toClient({ ...chat })).toEqual(given);
    }),
  );
});

type Message = JsonObject & { readonly content: readonly JsonObject[] };

/** The events of a whole message. */
function eventsOf({ content, stop_reason, stop_sequence, usage: used, ...rest }: Message): readonly JsonObject[] {
  return [
    { type: 'message_start', message: { ...rest, content: [], stop_reason: null, stop_sequence: null, usage: used } },
    ...content.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: emptied(block) },
      ...deltasOf(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage: used },
    { type: 'message_stop' },
  ];
}

function emptied(block: JsonObject): JsonObject {
  if (block['type'] === 'tool_use') return { ...block, input: {} };
  return block['type'] === 'text' ? { ...block, text: '' } : { ...block, thinking: '', signature: '' };
}

function deltasOf(block: JsonObject): readonly JsonObject[] {
  if (block['type'] === 'tool_use') return [{ type: 'input_json_delta', partial_json: JSON.stringify(block['input']) }];
  if (block['type'] === 'text') return [{ type: 'text_delta', text: block['text'] }];
  return [
    { type: 'thinking_delta', thinking: block['thinking'] },
    { type: 'signature_delta', signature: block['signature'] },
  ];
}

/** The usage is at the end only. */
const withoutFirstUsage = ([start, ...more]: readonly JsonObject[]): readonly unknown[] => [
  { ...start, message: { ...(start?.['message'] as object), usage: undefined } },
  ...more,
];

test('a stream', () => {
  fc.assert(
    fc.property(message, (given) => {
      const sent = eventsOf(given);
      const decoder = createAnthropicDecoder(WIRE);
      const stream = adaptation().openStream();
      const items: StreamItem[] = sent.flatMap((event) =>
        decoder
          .push({ event: String(event['type']), data: JSON.stringify(event) })
          .flatMap((item) => stream.push(item)),
      );
      items.push(...decoder.end().flatMap((item) => stream.push(item)), ...stream.end());
      const seen = items.flatMap((item) => (item.kind === 'chunk' ? [{ ...item.data }] : []));
      expect(withoutFirstUsage(seen)).toEqual(withoutFirstUsage(sent));
    }),
  );
});
