/** A chat message as the deltas that a provider would have sent. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../wire/contract.ts';
import { slicesOf } from './events.ts';

/** Members whose items have their own deltas. */
const LISTS: ReadonlySet<string> = new Set(['content_blocks', 'tool_calls']);

/** At least one delta; all but those of tool calls carry the role. */
export function messageDeltas(message: JsonObject): readonly JsonObject[] {
  const { role = 'assistant', content, content_blocks, tool_calls, ...rest } = message;
  const whole = Object.entries({ ...rest, content, content_blocks, tool_calls }).filter(
    ([key, value]) => value !== undefined && !comesInPieces(key, value),
  );
  const texts = [
    ...Object.entries(rest).flatMap(([key, value]) => textDeltas(key, value)),
    ...contentDeltas(content, objectsOf(content_blocks)),
  ].map((delta) => ({ role, ...delta }));
  const calls = objectsOf(tool_calls).flatMap(toolCallDeltas);
  const needsFirst = whole.length > 0 || texts.length + calls.length === 0;
  return [...(needsFirst ? [{ role, ...Object.fromEntries(whole) }] : []), ...texts, ...calls];
}

const comesInPieces = (key: string, value: unknown): boolean =>
  (typeof value === 'string' && value !== '') || (LISTS.has(key) && objectsOf(value).length > 0);

const textDeltas = (key: string, value: unknown): readonly JsonObject[] =>
  typeof value === 'string' ? slicesOf(value).map((slice) => ({ [key]: slice })) : [];

/** Where the text blocks equal the content, each piece is sent as both. */
function contentDeltas(content: unknown, blocks: readonly JsonObject[]): readonly JsonObject[] {
  const blockText = blocks.map(({ text }) => (typeof text === 'string' ? text : '')).join('');
  const together = blocks.length > 0 && blockText === content;
  const deltas = blocks.flatMap((block, index) => blockDeltas(block, index));
  if (!together) return [...textDeltas('content', content), ...deltas.map((delta) => ({ content_blocks: [delta] }))];
  return deltas.map((delta) => ({
    ...('text' in delta.delta ? { content: delta.delta['text'] } : {}),
    content_blocks: [delta],
  }));
}

interface BlockDelta {
  readonly index: number;
  readonly delta: JsonObject;
}

/** The block type that a delta with this member implies. */
const IMPLIED_TYPES: ReadonlyMap<string, string> = new Map([
  ['text', 'text'],
  ['thinking', 'thinking'],
  ['signature', 'thinking'],
  ['data', 'redacted_thinking'],
  ['citations', 'text'],
]);

function blockDeltas({ type, ...members }: JsonObject, index: number): readonly BlockDelta[] {
  const deltas = Object.entries(members).flatMap(([key, value]) => {
    const typed = IMPLIED_TYPES.get(key) === type ? {} : { type };
    if (key === 'citations' && Array.isArray(value)) {
      return value.map((citation: unknown) => ({ index, delta: { ...typed, citation } }));
    }
    const pieces = typeof value === 'string' && value !== '' ? slicesOf(value) : [value];
    return pieces.map((piece) => ({ index, delta: { ...typed, [key]: piece } }));
  });
  return deltas.length > 0 ? deltas : [{ index, delta: { type } }];
}

/** The long text of a call: of a function, of a custom tool. */
const CALL_TEXTS: ReadonlySet<string> = new Set(['arguments', 'input']);

/** First the call with its name and an empty text, then the text. */
function toolCallDeltas(call: JsonObject, index: number): readonly JsonObject[] {
  const head: [string, unknown][] = [];
  const tail: [string, unknown][] = [];
  for (const [key, value] of Object.entries(call)) {
    if (!isObject(value)) {
      head.push([key, value]);
      continue;
    }
    const isText = ([name, text]: [string, unknown]): boolean => CALL_TEXTS.has(name) && typeof text === 'string';
    const texts = Object.entries(value).filter(isText);
    head.push([key, { ...value, ...Object.fromEntries(texts.map(([name]) => [name, ''])) }]);
    if (texts.length > 0) tail.push([key, Object.fromEntries(texts)]);
  }
  const parts = tail.length > 0 ? [head, tail] : [head];
  return parts.map((part) => ({ tool_calls: [{ index, ...Object.fromEntries(part) }] }));
}

const objectsOf = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
