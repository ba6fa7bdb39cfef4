/** What streams say beside their texts: what a provider has run itself, citations and grounding. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TextProtocol } from './formats/index.ts';
import { RestoringStream } from './restoring-stream.ts';
import { block, blocks, chunk, citation, cut, denying, eventsIn, redacting, send, toBytes, WORD } from './testing.ts';
import type { WindowOptions } from './window.ts';

interface Case {
  readonly name: string;
  readonly protocol: TextProtocol;
  /** A stream that says a word in all texts that are looked at. */
  events(word: string): readonly object[];
}

/** A JSON text in pieces of three characters, which split words and escapes. */
const pieces = (value: unknown): readonly string[] => JSON.stringify(value).match(/[\s\S]{1,3}/g) ?? [];
const input = (word: string) => ({ type: `a "${word}"`, 'na"me': [`\n${word}\\`, 7, { id: word }] });
const inputDeltas = (word: string) => [
  { type: 'input_json_delta', partial_json: '' },
  ...pieces(input(word)).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
];
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
  ...block(6, { type: 'compaction', content: null }, [{ type: 'compaction_delta', content: `I did ${word}` }]),
  { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
  { type: 'message_stop' },
];

const CHAT = (word: string) => [
  blocks(0, { type: 'server_tool_use', id: 's1', name: 'code_execution', input: {} }),
  ...pieces(input(word)).map((partial_json) => blocks(0, { partial_json })),
  blocks(1, { type: 'code_execution_tool_result', tool_use_id: 's1', content: stdout(word) }),
  blocks(2, { citation: citation(word) }),
  chunk({ content: `So ${word}` }),
  chunk({ refusal: `I refuse ${word}` }),
  chunk({ audio: { id: 'a', transcript: `I say ${word}` } }),
  chunk({ audio: { data: 'UklGR' } }),
  chunk({
    executed_tools: [
      { index: 0, type: 'python', arguments: JSON.stringify(input(word)), output: `${word}\n` },
      { index: 1, type: 'search', arguments: `{"query":"${word}"}`, search_results: { results: [{ title: word }] } },
    ],
  }),
  chunk({ context: { citations: [{ content: word, title: word, chunk_id: '0' }], intent: `["${word}"]` } }),
  chunk({ citations: [{ title: `a ${word}` }] }, {}, { related_questions: [`And ${word}?`] }),
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
  const command = `echo "${word}"`;
  const shell = { type: 'shell_call', id: 'i6', action: { commands: ['ls', command] } };
  const put = { stdout: `a ${word}`, stderr: `${word}!`, outcome: { type: 'exit', exit_code: 0 } };
  const shown = { type: 'shell_call_output', id: 'i7', output: [put] };
  const run = { output_index: 6, command_index: 1 };
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
    { type: 'response.shell_call_command.added', ...run, command: '' },
    { type: 'response.shell_call_command.delta', ...run, delta: command },
    { type: 'response.shell_call_command.done', ...run, command },
    done(6, shell),
    { type: 'response.shell_call_output_content.delta', output_index: 7, command_index: 0, delta: put },
    { type: 'response.shell_call_output_content.done', output_index: 7, command_index: 0, output: [put] },
    done(7, shown),
    { type: 'response.novel.done', text: word },
    { type: 'response.content_part.added', ...at, part: { ...part, text: '', annotations: [] } },
    { type: 'response.output_text.delta', ...at, delta: part.text },
    { type: 'response.output_text.annotation.added', ...at, annotation_index: 0, annotation: annotation(word) },
    { type: 'response.output_text.done', ...at, text: part.text },
    { type: 'response.content_part.done', ...at, part },
    done(4, message),
    {
      type: 'response.completed',
      response: { id: 'r', output: [ran, more, called, files, message, reasoned, shell, shown] },
    },
  ];
}

const CASES: readonly Case[] = [
  { name: 'blocks of messages', protocol: 'messages', events: MESSAGES },
  { name: 'blocks, citations and grounding of chats', protocol: 'chat', events: CHAT },
  { name: 'items of responses', protocol: 'responses', events: responses },
];

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

test('an event with more texts than can be looked at ends the stream', async () => {
  const content = Array.from({ length: 10_001 }, (_, i) => ({ title: `${i}` }));
  const event = { type: 'content_block_start', index: 0, content_block: { type: 'web_search_tool_result', content } };
  await expect(send('messages', [toBytes([event])], denying(20))).rejects.toMatchObject({
    code: 'UPSTREAM_STREAM_BROKEN',
  });
  const most = { ...event, content_block: { ...event.content_block, content: content.slice(1) } };
  expect((await send('messages', [toBytes([most])], redacting(50))).out).toBe(toBytes([most]).toString());
});
