/** What streams say beside their texts: what a provider has run itself, citations and grounding. */
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import type { TextProtocol } from './formats/index.ts';
import { RestoringStream } from './restoring-stream.ts';
import { cut } from './testing.ts';
import type { WindowOptions } from './window.ts';
import { WindowedStream } from './windowed-stream.ts';

interface Case {
  readonly name: string;
  readonly protocol: TextProtocol;
  /** A stream that says a word in all texts that are looked at. */
  events(word: string): readonly object[];
}

/** A JSON text in pieces of three characters, which split words and escapes. */
const pieces = (value: unknown): readonly string[] => JSON.stringify(value).match(/[\s\S]{1,3}/g) ?? [];
const input = (word: string) => ({ type: `a "${word}"`, 'na"me': [`\n${word}\\`, 7, { id: word }] });
const block = (index: number, content_block: object, deltas: readonly object[] = []) => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];
const inputDeltas = (word: string) => [
  { type: 'input_json_delta', partial_json: '' },
  ...pieces(input(word)).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
];
const citation = (word: string) => ({
  type: 'char_location',
  cited_text: `a ${word}`,
  document_title: word,
  file_id: 'f',
});
const stdout = (word: string) => ({
  type: 'code_execution_result',
  stdout: `${word}\n`,
  stderr: `a ${word}`,
  content: [],
});
const found = (word: string) => [
  { type: 'web_search_result', url: `https://${word}.test`, title: word, encrypted_content: 'x' },
];

const MESSAGES = (word: string) => [
  { type: 'message_start', message: { id: 'm', content: [] } },
  ...block(0, { type: 'server_tool_use', id: 's1', name: 'code_execution', input: {} }, inputDeltas(word)),
  ...block(1, { type: 'code_execution_tool_result', tool_use_id: 's1', content: stdout(word) }),
  ...block(2, { type: 'mcp_tool_use', id: 's2', name: 'f', server_name: 's', input: { query: word } }),
  ...block(3, { type: 'mcp_tool_result', tool_use_id: 's2', content: [{ type: 'text', text: word }] }),
  ...block(4, { type: 'web_search_tool_result', tool_use_id: 's3', content: found(word) }),
  ...block(5, { type: 'text', text: '', citations: [] }, [
    { type: 'citations_delta', citation: citation(word) },
    { type: 'text_delta', text: `So ${word}` },
    { type: 'citations_delta', citation: citation(`${word} b`) },
  ]),
  { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
  { type: 'message_stop' },
];

const chunk = (delta: object, more: object = {}, root: object = {}) => ({
  id: 'c',
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
  ...root,
});
const blocks = (index: number, delta: object) => chunk({ content_blocks: [{ index, delta }] });

const CHAT = (word: string) => [
  blocks(0, { type: 'server_tool_use', id: 's1', name: 'code_execution', input: {} }),
  ...pieces(input(word)).map((partial_json) => blocks(0, { partial_json })),
  blocks(1, { type: 'code_execution_tool_result', tool_use_id: 's1', content: stdout(word) }),
  blocks(2, { citation: citation(word) }),
  chunk({ content: `So ${word}` }),
  chunk({ refusal: `I refuse ${word}` }),
  chunk({ annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.test', title: word } }] }),
  chunk({}, {}, { citations: [{ start: 0, end: 1, text: word, sources: [{ document: { id: word, title: word } }] }] }),
  ...[0, 1].map(() => chunk({}, {}, { citations: [`https://${word}.test`], search_results: [{ title: word }] })),
  chunk(
    {},
    {
      finish_reason: 'stop',
      groundingMetadata: {
        searchEntryPoint: { renderedContent: `<p>${word}</p>`, sdkBlob: 'x' },
        groundingChunks: [{ web: { uri: 'https://a.test', title: word } }],
        groundingSupports: [{ segment: { text: `So ${word}` } }],
      },
      citationMetadata: { citationSources: [{ title: word }] },
      urlContextMetadata: { urlMetadata: [{ retrievedUrl: `https://${word}.test` }] },
    },
  ),
];

const annotation = (word: string) => ({
  type: 'url_citation',
  url: 'https://a.test',
  title: `a ${word}`,
  start_index: 0,
});

function responses(word: string): readonly object[] {
  const json = JSON.stringify(input(word));
  const code = `print("${word}")`;
  const ran = {
    type: 'code_interpreter_call',
    id: 'i0',
    status: 'completed',
    code,
    outputs: [{ type: 'logs', logs: word }],
  };
  const searched = { type: 'web_search_call', id: 'i1', action: { type: 'search', query: word } };
  const more = {
    ...searched,
    action: { ...searched.action, query: `more ${word}`, sources: [{ url: `https://${word}.test` }] },
  };
  const called = {
    type: 'mcp_call',
    id: 'i2',
    name: 'f',
    server_label: 's',
    arguments: json,
    output: `{"a": "${word}"}`,
  };
  const files = { type: 'file_search_call', id: 'i3', queries: [word], results: [{ text: word, filename: 'a.txt' }] };
  const part = { type: 'output_text', text: `So ${word}`, annotations: [annotation(word)] };
  const message = { type: 'message', id: 'i4', content: [part] };
  const at = { output_index: 4, content_index: 0, item_id: 'i4' };
  const thought = { output_index: 5, summary_index: 0 };
  const summary = (text: string) => ({ type: 'summary_text', text });
  const reasoned = { type: 'reasoning', summary: [summary(`I see ${word}`)], encrypted_content: 'gAAAA' };
  const added = (output_index: number, item: object) => ({ type: 'response.output_item.added', output_index, item });
  const done = (output_index: number, item: object) => ({ type: 'response.output_item.done', output_index, item });
  return [
    { type: 'response.created', response: { id: 'r', output: [] } },
    { type: 'response.reasoning_summary_part.added', ...thought, part: summary('') },
    { type: 'response.reasoning_summary_text.delta', ...thought, delta: `I see ${word}` },
    { type: 'response.reasoning_summary_text.done', ...thought, text: `I see ${word}` },
    { type: 'response.reasoning_summary_part.done', ...thought, part: summary(`I see ${word}`) },
    done(5, reasoned),
    added(0, { ...ran, code: '', outputs: null }),
    ...(code.match(/[\s\S]{1,3}/g) ?? []).map((delta) => ({
      type: 'response.code_interpreter_call_code.delta',
      output_index: 0,
      delta,
    })),
    { type: 'response.code_interpreter_call_code.done', output_index: 0, code },
    done(0, ran),
    added(1, searched),
    done(1, more),
    added(2, { ...called, arguments: '', output: null }),
    ...pieces(input(word)).map((delta) => ({ type: 'response.mcp_call_arguments.delta', output_index: 2, delta })),
    { type: 'response.mcp_call_arguments.done', output_index: 2, arguments: json },
    done(2, called),
    done(3, files),
    { type: 'response.content_part.added', ...at, part: { ...part, text: '', annotations: [] } },
    { type: 'response.output_text.delta', ...at, delta: part.text },
    { type: 'response.output_text.annotation.added', ...at, annotation_index: 0, annotation: annotation(word) },
    { type: 'response.output_text.done', ...at, text: part.text },
    { type: 'response.content_part.done', ...at, part },
    done(4, message),
    { type: 'response.completed', response: { id: 'r', output: [ran, more, called, files, message, reasoned] } },
  ];
}

const CASES: readonly Case[] = [
  { name: 'blocks of messages', protocol: 'messages', events: MESSAGES },
  { name: 'blocks, citations and grounding of chats', protocol: 'chat', events: CHAT },
  { name: 'items of responses', protocol: 'responses', events: responses },
];

const toBytes = (events: readonly object[]): Buffer =>
  Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));

/** The events with the pieces of JSON texts joined: where they are split is of no interest. */
function eventsIn(stream: string): readonly object[] {
  const events = (stream.match(/^data: .*$/gm) ?? []).map((line) => JSON.parse(line.slice('data: '.length)));
  const joined = new Map<string, string>();
  const kept = events.filter((event) => {
    const { delta } = event.choices?.[0]?.delta.content_blocks?.[0] ?? event;
    const json =
      delta?.partial_json ?? (event.type?.endsWith('.delta') && typeof delta === 'string' ? delta : undefined);
    if (json === undefined) return true;
    const key = `${event.type} ${event.index ?? event.output_index}`;
    joined.set(key, (joined.get(key) ?? '') + json);
    return false;
  });
  return [...kept, Object.fromEntries(joined)];
}

const WORD = 'SECRET-1234';
const redacting = (size: number): WindowOptions<string> => ({
  size,
  changesTexts: true,
  check: async (texts) => ({ kind: 'pass', texts: texts.map((text) => text.replaceAll(WORD, '[“g”]')) }),
});
const denying = (size: number): WindowOptions<string> => ({
  size,
  changesTexts: false,
  check: async (texts) =>
    texts.some((text) => text.includes(WORD)) ? { kind: 'deny', denial: 'no' } : { kind: 'pass' },
});

async function send(protocol: TextProtocol, given: readonly Buffer[], options: WindowOptions<string>) {
  const stream = new WindowedStream(protocol, options);
  let out = '';
  for (const piece of [...given, undefined]) {
    const result = await (piece === undefined ? stream.end() : stream.push(piece));
    out += Buffer.concat(result.pieces).toString();
    if (result.denial !== undefined) return { out, denial: result.denial };
  }
  return { out, denial: undefined };
}

/** Each place that has the word, alone: the event has it in this one place only. */
function* places(value: unknown, set: (next: unknown) => unknown): Generator<unknown> {
  if (typeof value === 'string' && value.includes(WORD)) yield set(value.replace(WORD, '@'));
  if (Array.isArray(value))
    for (const [i, item] of value.entries()) yield* places(item, (next) => set(value.with(i, next)));
  else if (typeof value === 'object' && value !== null)
    for (const [name, item] of Object.entries(value)) yield* places(item, (next) => set({ ...value, [name]: next }));
}

describe.for(CASES)('$name', ({ protocol, events }) => {
  test.for([1, 20, 1_000])('are changed in windows of %i', async (size) => {
    const { out } = await send(protocol, [toBytes(events(WORD))], redacting(size));
    expect(eventsIn(out)).toEqual(eventsIn(toBytes(events('[“g”]')).toString()));
  });

  test('are the same wherever the bytes are split', async () => {
    const bytes = toBytes(events(WORD));
    const { out: whole } = await send(protocol, [bytes], redacting(20));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 9 }), async (cuts) => {
        expect((await send(protocol, cut(bytes, cuts), redacting(20))).out).toBe(whole);
      }),
      { numRuns: 20 },
    );
  });

  test('are denied, and nothing of them is sent', async () => {
    for (const event of events(WORD)) {
      for (const alone of places(event, (next) => next)) {
        const marked = JSON.parse(JSON.stringify(alone).replaceAll(WORD, 'x').replace('@', WORD));
        const { out, denial } = await send(protocol, [toBytes([marked])], denying(20));
        expect(denial, JSON.stringify(marked)).toBe('no');
        expect(out).not.toContain(WORD);
      }
    }
  });

  test('pass as they came', async () => {
    const bytes = toBytes(events('fine'));
    const plain = (await send(protocol, [bytes], redacting(20))).out;
    expect(eventsIn(plain)).toEqual(eventsIn(bytes.toString()));
    const restoring = new RestoringStream(protocol, new Map([[`[NAME_1]`, 'fine']]));
    const named = toBytes(events('[NAME_1]'));
    const restored = Buffer.concat([...restoring.push(named), ...restoring.end()]).toString();
    expect(eventsIn(restored)).toEqual(eventsIn(bytes.toString()));
  });
});

test('the signature of a changed summary is left out', async () => {
  const reasoned = (word: string, id: string) => ({
    ...{ type: 'reasoning', id, summary: [{ type: 'summary_text', text: word }] },
    encrypted_content: 'gatehouse.signed.a',
  });
  const items = [reasoned('b', 'r0'), reasoned(WORD, 'r1')];
  const events = [
    { type: 'response.reasoning_summary_text.delta', output_index: 1, summary_index: 0, delta: WORD },
    ...items.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
    { type: 'response.completed', response: { output: items } },
  ];
  const { out } = await send('responses', [toBytes(events)], redacting(20));
  expect(out.match(/"id":"r\d"[^}]*}]|gatehouse.signed/g)).toEqual([
    ...['"id":"r0","summary":[{"type":"summary_text","text":"b"}]', 'gatehouse.signed'],
    '"id":"r1","summary":[{"type":"summary_text","text":"[“g”]"}]',
    ...['"id":"r0","summary":[{"type":"summary_text","text":"b"}]', 'gatehouse.signed'],
    '"id":"r1","summary":[{"type":"summary_text","text":"[“g”]"}]',
  ]);
});

test('what is said again is checked once', async () => {
  const checked: string[] = [];
  const options: WindowOptions<string> = {
    size: 20,
    changesTexts: false,
    check: async (texts) => {
      checked.push(...texts);
      return { kind: 'pass' };
    },
  };
  const again = chunk({}, {}, { citations: ['https://a.test'], search_results: [{ title: 'b' }] });
  await send('chat', [toBytes(Array.from({ length: 50 }, () => again))], options);
  expect(checked).toEqual(['https://a.test', 'b']);
});

describe('texts that follow each other', () => {
  const strings = JSON.stringify(Array.from({ length: 200 }, (_, i) => `text ${i}`)).match(/[\s\S]{1,7}/g) ?? [];
  const cited = Array.from({ length: 50 }, (_, i) => citation(`page ${i}`));
  const ran = { type: 'server_tool_use', id: 's', name: 'f' };
  const streams: readonly { name: string; protocol: TextProtocol; events: readonly object[] }[] = [
    {
      name: 'the input of a tool in messages',
      protocol: 'messages',
      events: block(
        0,
        ran,
        strings.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      ),
    },
    {
      name: 'the input of a tool in chats',
      protocol: 'chat',
      events: [blocks(0, ran), ...strings.map((partial_json) => blocks(0, { partial_json }))],
    },
    {
      name: 'the arguments of a tool in responses',
      protocol: 'responses',
      events: strings.map((delta) => ({ type: 'response.mcp_call_arguments.delta', output_index: 0, delta })),
    },
    {
      name: 'citations of messages',
      protocol: 'messages',
      events: block(
        0,
        { type: 'text', text: '' },
        cited.map((each) => ({ type: 'citations_delta', citation: each })),
      ),
    },
    {
      name: 'citations of chats',
      protocol: 'chat',
      events: [...cited.map((each) => blocks(0, { citation: each })), chunk({}, { finish_reason: 'stop' })],
    },
    {
      name: 'annotations of responses',
      protocol: 'responses',
      events: [
        ...cited.map((each) => ({ type: 'response.output_text.annotation.added', output_index: 0, annotation: each })),
        { type: 'response.output_item.done', output_index: 0, item: { type: 'message', content: [] } },
      ],
    },
  ];

  test.for(streams)('$name are checked together, and leave with what holds them', async ({ protocol, events }) => {
    const check = vi.fn(async () => ({ kind: 'pass' }) as const);
    const stream = new WindowedStream(protocol, { size: 1_000, changesTexts: true, check });
    const { pieces: sent } = await stream.push(toBytes(events));
    expect(eventsIn(Buffer.concat(sent).toString())).toEqual(eventsIn(toBytes(events).toString()));
    expect(check.mock.calls.length).toBeLessThan(5);
    expect(stream.heldBytes).toBe(0);
  });
});

describe('JSON that is cut off in an escape', () => {
  const ran = { type: 'server_tool_use', id: 's', name: 'f' };
  const json = ['{"a":"abc', '\\', 'n', '\\u00'];
  const of = (partial_json: string) => ({ type: 'input_json_delta', partial_json });
  const called = (delta: string) => ({ type: 'response.mcp_call_arguments.delta', output_index: 0, delta });
  test.for<{ name: string; protocol: TextProtocol; events: readonly object[] }>([
    { name: 'a block of messages', protocol: 'messages', events: block(0, ran, json.map(of)) },
    { name: 'messages without an end', protocol: 'messages', events: block(0, ran, json.map(of)).slice(0, -1) },
    {
      name: 'messages that are over',
      protocol: 'messages',
      events: [...block(0, ran, json.map(of)).slice(0, -1), { type: 'message_stop' }],
    },
    {
      name: 'a block of chats',
      protocol: 'chat',
      events: [blocks(0, ran), ...json.map((partial_json) => blocks(0, { partial_json })), { error: { message: 'e' } }],
    },
    { name: 'a call of responses', protocol: 'responses', events: [...json.map(called), { type: 'error' }] },
  ])('is sent as it came in $name', async ({ protocol, events }) => {
    const bytes = toBytes(events);
    const { out } = await send(protocol, [bytes], redacting(20));
    expect(eventsIn(out)).toEqual(eventsIn(bytes.toString()));
    const restoring = new RestoringStream(protocol, new Map([['[NAME_1]', 'Bo']]));
    expect(Buffer.concat([...restoring.push(bytes), ...restoring.end()]).toString()).toBe(out);
  });

  test('leaves when its block ends', async () => {
    const stream = new WindowedStream('messages', redacting(20));
    const { pieces: sent } = await stream.push(toBytes(block(0, ran, json.map(of))));
    expect(Buffer.concat(sent).toString()).toContain('content_block_stop');
  });
});

test('an event with more texts than can be looked at ends the stream', async () => {
  const content = Array.from({ length: 10_001 }, (_, i) => ({ title: `${i}` }));
  const event = { type: 'content_block_start', index: 0, content_block: { type: 'web_search_tool_result', content } };
  await expect(send('messages', [toBytes([event])], denying(20))).rejects.toMatchObject({
    code: 'UPSTREAM_STREAM_BROKEN',
  });
  const most = { ...event, content_block: { ...event.content_block, content: content.slice(1) } };
  expect((await send('messages', [toBytes([most])], redacting(50))).out).toBe(toBytes([most]).toString());
});
