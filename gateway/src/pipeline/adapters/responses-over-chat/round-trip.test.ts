import { isObject } from '@gatehouse/crds';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, StreamItem } from '../../../wire/contract.ts';
import { objectAt, objectsAt } from '../../../wire/json/json.ts';
import { adapt, eventsOf } from './testing.ts';

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 });
const id = fc.stringMatching(/^[a-z0-9]{1,12}$/);
const signed = fc.record({ type: fc.constant('thinking'), thinking: text, signature: id });
const redacted = fc.record({ type: fc.constant('redacted_thinking'), data: id });
const call = fc.record({
  id: id.map((part) => `call_${part}`),
  type: fc.constant('function' as const),
  function: fc.record({
    name: id,
    arguments: fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value)),
  }),
});

/** A turn of an assistant that both formats can say. */
const turn = fc
  .record({
    content: fc.oneof(fc.constant(''), text),
    thoughts: fc.array(fc.oneof(signed, redacted), { maxLength: 3 }),
    calls: fc.uniqueArray(call, { selector: (one) => one.id, maxLength: 3 }),
  })
  .filter(({ content, calls }) => content !== '' || calls.length > 0);

type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

const PARAMS = { include: ['reasoning.encrypted_content'] };

const messageOf = ({ content, thoughts, calls }: Turn): JsonObject => ({
  role: 'assistant',
  content,
  ...(thoughts.length === 0
    ? {}
    : { content_blocks: [...thoughts, ...(content === '' ? [] : [{ type: 'text', text: content }])] }),
  ...(calls.length === 0 ? {} : { tool_calls: calls }),
});

const answerOf = (message: JsonObject): JsonObject =>
  adapt(PARAMS).toClient({ choices: [{ index: 0, message, finish_reason: 'stop' }] }) as JsonObject;

describe('a turn of an assistant', () => {
  test('comes back to the provider as it left it, when a client sends the output as input', () => {
    fc.assert(
      fc.property(turn, (given) => {
        const message = messageOf(given);
        const { output } = answerOf(message);
        const { params } = adapt({ ...PARAMS, input: output });
        expect(params['messages']).toEqual([message]);
      }),
    );
  });

  test('may call tools of namespaces, whose names providers take', () => {
    const name = fc.stringMatching(/^[a-zA-Z0-9_-]{1,64}$/);
    fc.assert(
      fc.property(name, name, fc.constantFrom('function', 'custom'), (namespace, inner, type) => {
        const tools = [{ type: 'namespace', name: namespace, tools: [{ type, name: inner }] }];
        const offered = objectAt(objectsAt(adapt({ tools }).params, 'tools')[0], 'function')?.['name'];
        expect(offered).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        const called = { id: 'c', type: 'function', function: { name: offered, arguments: '{"input":"a"}' } };
        const message = { role: 'assistant', content: '', tool_calls: [called] };
        const choices = [{ index: 0, message, finish_reason: 'tool_calls' }];
        const { output } = adapt({ tools }).toClient({ choices }) as JsonObject;
        expect(output).toEqual([expect.objectContaining({ namespace, name: inner })]);
        expect(adapt({ input: output }).params['messages']).toEqual([message]);
      }),
    );
  });

  test('is the same response streamed and whole', () => {
    fc.assert(
      fc.property(turn, fc.nat({ max: 7 }), (given, size) => {
        const whole = answerOf(messageOf(given));
        const stream = adapt({ ...PARAMS, stream: true }).openStream();
        const items = deltasOf(given, size + 1).flatMap((delta) => stream.push(chunkOf(delta)));
        const last = eventsOf([...items, ...stream.push(chunkOf({}, 'stop')), ...stream.end()]).at(-1);
        expect(withoutIds(objectAt(last, 'response'))).toEqual(withoutIds(whole));
      }),
    );
  });

  test('is what the deltas of its stream add up to', () => {
    fc.assert(
      fc.property(turn, (given) => {
        const stream = adapt({ ...PARAMS, stream: true }).openStream();
        const items = deltasOf(given, 2).flatMap((delta) => stream.push(chunkOf(delta)));
        const events = eventsOf([...items, ...stream.push(chunkOf({}, 'stop')), ...stream.end()]);
        const added = (type: string): string =>
          events.map((event) => (event['type'] === type ? String(event['delta']) : '')).join('');
        expect(added('response.output_text.delta')).toBe(given.content);
        const thoughts = given.thoughts.map((block) => ('thinking' in block ? block.thinking : ''));
        expect(added('response.reasoning_summary_text.delta')).toBe(thoughts.join(''));
        const texts = given.calls.map((one) => one.function.arguments);
        expect(added('response.function_call_arguments.delta')).toBe(texts.join(''));
      }),
    );
  });
});

const chunkOf = (delta: object, finish: string | null = null): StreamItem => ({
  kind: 'chunk',
  data: { choices: [{ index: 0, delta, finish_reason: finish }] },
});

const pieces = (whole: string, size: number): readonly string[] =>
  Array.from({ length: Math.ceil(whole.length / size) }, (_, i) => whole.slice(i * size, (i + 1) * size));

function deltasOf({ content, thoughts, calls }: Turn, size: number): readonly object[] {
  const blocks = (index: number, delta: object): object => ({ content_blocks: [{ index, delta }] });
  return [
    ...thoughts.flatMap((block, index) =>
      'data' in block
        ? [blocks(index, { data: block.data })]
        : [
            ...pieces(block.thinking, size).map((thinking) => blocks(index, { thinking })),
            blocks(index, { signature: block.signature }),
          ],
    ),
    ...pieces(content, size).map((piece) => ({ content: piece })),
    ...calls.flatMap(({ id: callId, function: called }, index) => [
      { tool_calls: [{ index, id: callId, type: 'function', function: { name: called.name, arguments: '' } }] },
      ...pieces(called.arguments, size).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
  ];
}

/** Ids count up in the order in which they are needed. */
function withoutIds(response: JsonObject | undefined): object {
  return {
    ...response,
    id: '',
    output: objectsAt(response, 'output').map((item) => (isObject(item) ? { ...item, id: '' } : item)),
  };
}
