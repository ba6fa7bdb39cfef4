/** Streams of the four formats, for the tests beside the source; programs do not import it. */
import { EventSplitter } from './events.ts';
import { formatOf, readTexts, type TextProtocol } from './formats/index.ts';
import type { WindowOptions } from './window.ts';
import { WindowedStream } from './windowed-stream.ts';

const event = (data: object, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

/** The stream of an answer that says the pieces. */
export const STREAMS: Readonly<Record<TextProtocol, (pieces: readonly string[]) => string>> = {
  chat: (pieces) => {
    const chunk = (delta: object, finish_reason: string | null = null): string =>
      event({ id: 'c', choices: [{ index: 0, delta, logprobs: null, finish_reason }] });
    return [
      chunk({ role: 'assistant', content: '' }),
      ...pieces.map((content) => chunk({ content })),
      chunk({}, 'stop'),
      event({ id: 'c', choices: [], usage: { total_tokens: 1 } }),
      'data: [DONE]\n\n',
    ].join('');
  },
  completion: (pieces) =>
    [
      ...pieces.map((text) => event({ id: 'c', choices: [{ index: 0, text, finish_reason: null }] })),
      event({ id: 'c', choices: [{ index: 0, text: '', finish_reason: 'stop' }] }),
      'data: [DONE]\n\n',
    ].join(''),
  messages: (pieces) =>
    [
      { type: 'message_start', message: { id: 'm', content: [] } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'ping' },
      ...pieces.map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ]
      .map((data) => event(data, data.type))
      .join(''),
  responses: (pieces) => {
    const text = pieces.join('');
    const part = { type: 'output_text', text, annotations: [], logprobs: [] };
    const item = { type: 'message', id: 'i', content: [part] };
    const at = { output_index: 0, content_index: 0, item_id: 'i' };
    return [
      { type: 'response.created', response: { id: 'r', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
      { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
      ...pieces.map((delta) => ({ type: 'response.output_text.delta', ...at, delta })),
      { type: 'response.output_text.done', ...at, text },
      { type: 'response.content_part.done', ...at, part },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { id: 'r', status: 'completed', output: [item] } },
    ]
      .map((data, i) => event({ ...data, sequence_number: i }, data.type))
      .join('');
  },
};

export const PROTOCOLS = Object.keys(STREAMS) as TextProtocol[]; // the keys of the record

/** The texts that a stream says: its pieces joined, and every repetition of them. */
export function saidBy(protocol: TextProtocol, stream: string): { readonly pieces: string; readonly whole: string[] } {
  const splitter = new EventSplitter();
  const format = formatOf(protocol);
  const slots = [...splitter.push(Buffer.from(stream)), ...splitter.end()].flatMap(
    (each) => readTexts(format, each).slots,
  );
  const ofText = slots.filter(({ use }) => use === 'checked');
  return {
    pieces: ofText
      .filter(({ isWhole }) => !isWhole)
      .map(({ text }) => text)
      .join(''),
    whole: ofText.filter(({ isWhole, text }) => isWhole && text !== '').map(({ text }) => text),
  };
}

/** The bytes in pieces. */
export const cut = (bytes: Buffer, cuts: readonly number[]): Buffer[] => {
  const at = [0, ...cuts.map((each) => each % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, i) => bytes.subarray(at[i], end));
};

export const block = (index: number, content_block: object, deltas: readonly object[] = []) => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];
export const citation = (word: string) => ({
  type: 'char_location',
  cited_text: `a ${word}`,
  document_title: word,
  file_id: 'f',
});
export const chunk = (delta: object, more: object = {}, root: object = {}) => ({
  id: 'c',
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
  ...root,
});
export const blocks = (index: number, delta: object) => chunk({ content_blocks: [{ index, delta }] });

export const toBytes = (events: readonly object[]): Buffer =>
  Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));

/** The events with the pieces of JSON texts joined: where they are split is of no interest. */
export function eventsIn(stream: string): readonly object[] {
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

export const WORD = 'SECRET-1234';
export const redacting = (size: number): WindowOptions<string> => ({
  size,
  changesTexts: true,
  check: async (texts) => ({ kind: 'pass', texts: texts.map((text) => text.replaceAll(WORD, '[“g”]')) }),
});
export const denying = (size: number): WindowOptions<string> => ({
  size,
  changesTexts: false,
  check: async (texts) =>
    texts.some((text) => text.includes(WORD)) ? { kind: 'deny', denial: 'no' } : { kind: 'pass' },
});

export async function send(protocol: TextProtocol, given: readonly Buffer[], options: WindowOptions<string>) {
  const stream = new WindowedStream(protocol, options);
  let out = '';
  for (const piece of [...given, undefined]) {
    const result = await (piece === undefined ? stream.end() : stream.push(piece));
    out += Buffer.concat(result.pieces).toString();
    if (result.denial !== undefined) return { out, denial: result.denial };
  }
  return { out, denial: undefined };
}
