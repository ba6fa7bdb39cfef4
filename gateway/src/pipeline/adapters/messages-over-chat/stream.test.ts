import { goldenCases } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, StreamItem } from '../../../wire/contract.ts';
import { createFrameReader } from '../../../wire/framing/index.ts';
import { objectAt, textAt } from '../../../wire/json/json.ts';
import { createOpenAiChatDecoder } from '../../../wire/openai/index.ts';
import { createMessageEvents } from './stream.ts';
import { sampleContext } from './testing.ts';

const WIRE = { ...sampleContext(), strict: false, params: {} };

/** What the pieces of an upstream's stream become. */
function run(pieces: readonly Buffer[]): readonly StreamItem[] {
  const reader = createFrameReader('sse');
  const decoder = createOpenAiChatDecoder(WIRE);
  const events = createMessageEvents(WIRE);
  const frames = [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
  const items = [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
  return [...items.flatMap((item) => events.push(item)), ...events.end()];
}

const plain = (items: readonly StreamItem[]): readonly unknown[] =>
  items.map((item) => (item.kind === 'chunk' ? item.data : item));

describe('a stream of a chat', () => {
  const cases = goldenCases(new URL('stream-fixtures/', import.meta.url));

  test.for(cases)('is a stream of a message: $name', ({ given, check }) => {
    check('client_stream', plain(run([Buffer.from(String(given['upstream_stream']))])));
  });

  test.for(cases)('is the same wherever it is cut: $name', ({ given }) => {
    const bytes = Buffer.from(String(given['upstream_stream']));
    const whole = run([bytes]);
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(run([bytes.subarray(0, at), bytes.subarray(at)]), `cut at byte ${at}`).toEqual(whole);
    }
  });
});

/** Items in the chat format, from chunks. */
const chunk = (delta: JsonObject, finish_reason: string | null = null): StreamItem => ({
  kind: 'chunk',
  data: { id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason }] },
});

function events(items: readonly StreamItem[]): readonly JsonObject[] {
  const adapter = createMessageEvents(sampleContext());
  const all = [...items.flatMap((item) => adapter.push(item)), ...adapter.end()];
  return all.flatMap((item) => (item.kind === 'chunk' ? [{ ...item.data }] : []));
}

/** Blocks begin in order, one at a time, and end once; deltas belong to the open one, and none is open at the end. Returns what they say. */
function readBlocks(list: readonly JsonObject[]): readonly { block: JsonObject; text: string }[] {
  const blocks: { block: JsonObject; text: string }[] = [];
  let isOpen = false;
  for (const event of list) {
    switch (event['type']) {
      case 'content_block_start':
        expect(isOpen).toBe(false);
        expect(event['index']).toBe(blocks.length);
        blocks.push({ block: objectAt(event, 'content_block') ?? {}, text: '' });
        isOpen = true;
        break;
      case 'content_block_delta': {
        expect(isOpen).toBe(true);
        expect(event['index']).toBe(blocks.length - 1);
        const last = blocks.at(-1);
        const delta = objectAt(event, 'delta');
        if (last !== undefined)
          last.text += textAt(delta, 'text') ?? textAt(delta, 'partial_json') ?? textAt(delta, 'thinking') ?? '';
        break;
      }
      case 'content_block_stop':
        expect(isOpen).toBe(true);
        expect(event['index']).toBe(blocks.length - 1);
        isOpen = false;
        break;
      default:
        break;
    }
  }
  if (list.some(({ type }) => type === 'message_stop')) expect(isOpen).toBe(false);
  return blocks;
}

describe('blocks', () => {
  test('of vendors with thinking keep signatures and hidden thoughts', () => {
    const list = events([
      chunk({ content_blocks: [{ index: 0, delta: { thinking: '', signature: '' } }] }),
      chunk({ content_blocks: [{ index: 0, delta: { thinking: 'Hm' } }] }),
      chunk({ content_blocks: [{ index: 0, delta: { signature: 'sig' } }] }),
      chunk({ content_blocks: [{ index: 1, delta: { data: 'hidden' } }] }),
      chunk({ content: 'Hi', content_blocks: [{ index: 2, delta: { text: 'Hi' } }] }, 'stop'),
    ]);
    expect(readBlocks(list).map(({ block, text }) => [block['type'], text])).toEqual([
      ['thinking', 'Hm'],
      ['redacted_thinking', ''],
      ['text', 'Hi'],
    ]);
    expect(list).toContainEqual({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'signature_delta', signature: 'sig' },
    });
  });

  test('of a tool without arguments are whole at the end', () => {
    const call = (index: number) => ({ tool_calls: [{ index, id: `c${index}`, function: { name: `t${index}` } }] });
    const blocks = readBlocks(events([chunk(call(0)), chunk(call(1)), chunk({}, 'tool_calls')]));
    expect(blocks).toEqual(
      [0, 1].map((i) => ({ block: { type: 'tool_use', id: `c${i}`, name: `t${i}`, input: {} }, text: '' })),
    );
  });

  test('that wait for one that never ends are an error beyond a bound', () => {
    const adapter = createMessageEvents(sampleContext());
    const open = { tool_calls: [{ index: 0, id: 'a', function: { name: 'a', arguments: '{' } }] };
    adapter.push(chunk(open));
    const more = chunk({ content: 'x'.repeat(1024 * 1024) });
    const seen = Array.from({ length: 5 }, () => adapter.push(more)).flat();
    expect(seen.map(({ kind }) => kind)).toEqual(['error']);
    expect([...adapter.push(more), ...adapter.end()]).toEqual([]);
  });

  test('of more tools than an answer can have are an error', () => {
    const adapter = createMessageEvents(sampleContext());
    const tool_calls = Array.from({ length: 10_001 }, (_, index) => ({
      index,
      function: { name: 't', arguments: '{}' },
    }));
    expect(adapter.push(chunk({ tool_calls })).map(({ kind }) => kind)).toEqual(['error']);
  });
});

/** Pieces of texts, thoughts and tool calls in any order; the arguments of each call are cut anywhere. */
const conversation = fc
  .array(
    fc.oneof(
      fc.record({ text: fc.string({ minLength: 1 }) }),
      fc.record({ thinking: fc.string({ minLength: 1 }) }),
      fc.record({ input: fc.dictionary(fc.string(), fc.string()), cut: fc.nat(20) }),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((says) => {
    let calls = 0;
    return says.flatMap((said): { tool?: number; item: StreamItem; json?: string }[] => {
      if ('text' in said) return [{ item: chunk({ content: said.text }) }];
      if ('thinking' in said) return [{ item: chunk({ reasoning: said.thinking }) }];
      const tool = calls;
      calls += 1;
      const json = JSON.stringify(said.input);
      const pieces = [json.slice(0, said.cut), json.slice(said.cut)];
      return pieces.map((piece, i) => ({
        tool,
        json: piece,
        item: chunk({
          tool_calls: [
            {
              index: tool,
              ...(i === 0 ? { id: `call_${tool}` } : {}),
              function: { ...(i === 0 ? { name: 't' } : {}), arguments: piece },
            },
          ],
        }),
      }));
    });
  });

describe('whatever a provider streams', () => {
  test('a thought whose place is an object is one', () => {
    const content_blocks = [{ index: { toString: 0 }, delta: { thinking: 'a' } }];
    expect(events([chunk({ content_blocks })])).toContainEqual(
      expect.objectContaining({ delta: { type: 'thinking_delta', thinking: 'a' } }),
    );
  });

  test('blocks are in order, and arguments of tools are whole, also when calls are mixed', () => {
    fc.assert(
      fc.property(conversation, fc.infiniteStream(fc.boolean()), (pieces, swaps) => {
        const mixed = [...pieces];
        for (let i = 1; i < mixed.length; i += 1) {
          const [a, b] = [mixed[i - 1], mixed[i]];
          const isSwapped = a?.tool !== undefined && b?.tool !== undefined && a.tool !== b.tool && swaps.next().value;
          if (isSwapped && a !== undefined && b !== undefined) [mixed[i - 1], mixed[i]] = [b, a];
        }
        const blocks = readBlocks(events([...mixed.map(({ item }) => item), chunk({}, 'stop')]));
        const inputs = Map.groupBy(pieces, ({ tool }) => tool);
        for (const { block, text } of blocks.filter(({ block: { type } }) => type === 'tool_use')) {
          const tool = Number(String(block['id']).replace('call_', ''));
          expect(text).toBe(
            inputs
              .get(tool)
              ?.map(({ json }) => json)
              .join(''),
          );
        }
        expect(blocks.filter(({ block: { type } }) => type === 'tool_use')).toHaveLength(
          [...inputs.keys()].filter((tool) => tool !== undefined).length,
        );
      }),
    );
  });

  test('nothing is thrown, and nothing follows the end', () => {
    const key = fc.constantFrom(
      ...[
        'choices',
        'delta',
        'index',
        'content',
        'tool_calls',
        'function',
        'name',
        'arguments',
        'id',
        'content_blocks',
      ],
      ...['thinking', 'data', 'finish_reason', 'text', 'type', 'refusal', 'model'],
    );
    const data = fc.object({
      key,
      maxDepth: 6,
      values: [fc.string(), fc.integer(), fc.constant(null), fc.constant(0)],
    });
    const choice = fc.record({
      index: fc.constantFrom(0, 1, null),
      delta: data,
      finish_reason: fc.constantFrom('stop', null),
    });
    const item = fc.oneof<fc.Arbitrary<StreamItem>[]>(
      data.map((it) => ({ kind: 'chunk', data: it })),
      choice.map((it) => ({ kind: 'chunk', data: { choices: [it] } })),
      fc.constant({ kind: 'usage', usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }),
    );
    fc.assert(
      fc.property(fc.array(item, { maxLength: 12 }), (items) => {
        const list = events(items);
        readBlocks(list);
        const types = list.map(({ type }) => type);
        if (types.includes('message_stop')) expect(types.indexOf('message_stop')).toBe(types.length - 1);
      }),
    );
  });
});
