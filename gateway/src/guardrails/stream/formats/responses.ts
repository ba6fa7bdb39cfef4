/** Responses: named pieces, and again whole texts, parts, items and the whole answer. Source: OpenAI Responses API, streaming events. */

import { isObject } from '@gatehouse/crds';
import { scalarText } from '../../../lib/scalar-text.ts';
import { type EventTexts, objectsIn, type StreamFormat, slotAt, type TextSlot, type Writable } from './format.ts';

export const responsesFormat: StreamFormat = { repeats: true, read };

/** Events of one text: the member that has it, and what it is for. */
interface TextEvent {
  readonly member: string;
  readonly use: TextSlot['use'];
  readonly isWhole: boolean;
}

const TEXT_EVENTS: ReadonlyMap<unknown, TextEvent> = new Map<string, TextEvent>([
  ['response.output_text.delta', { member: 'delta', use: 'checked', isWhole: false }],
  ['response.output_text.done', { member: 'text', use: 'checked', isWhole: true }],
  ['response.refusal.delta', { member: 'delta', use: 'checked', isWhole: false }],
  ['response.refusal.done', { member: 'refusal', use: 'checked', isWhole: true }],
  ['response.reasoning_text.delta', { member: 'delta', use: 'checked', isWhole: false }],
  ['response.reasoning_text.done', { member: 'text', use: 'checked', isWhole: true }],
  ['response.function_call_arguments.delta', { member: 'delta', use: 'arguments', isWhole: false }],
  ['response.function_call_arguments.done', { member: 'arguments', use: 'arguments', isWhole: true }],
  ['response.custom_tool_call_input.delta', { member: 'delta', use: 'shown', isWhole: false }],
  ['response.custom_tool_call_input.done', { member: 'input', use: 'shown', isWhole: true }],
]);

/** Events behind the last text. */
const LAST: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed', 'error']);

function read(data: Writable): EventTexts {
  const { type } = data;
  const event = TEXT_EVENTS.get(type);
  if (event !== undefined) {
    const part =
      event.use !== 'checked' ? callOf(data['output_index']) : partOf(data['output_index'], data['content_index']);
    const { use, isWhole } = event;
    return { data, slots: slotAt(data, event.member, { part, use, isWhole }), ends: isWhole ? [part] : [] };
  }
  return { data, slots: repeated(data), ends: LAST.has(type) ? 'all' : [] };
}

const partOf = (item: unknown, content: unknown): string => `${scalarText(item)}.${scalarText(content)}`;
const callOf = (item: unknown): string => `${scalarText(item)}.call`;

/** The texts of a whole part, item or answer. */
function repeated(data: Writable): readonly TextSlot[] {
  const { part, item, response, output_index: index, content_index: content } = data;
  if (isObject(part)) return partSlots(part, partOf(index, content));
  if (isObject(item)) return itemSlots(item, index);
  if (!isObject(response)) return [];
  return objectsIn(response['output']).flatMap((each, place) => itemSlots(each, place));
}

function itemSlots(item: Writable, index: unknown): readonly TextSlot[] {
  return [
    ...objectsIn(item['content']).flatMap((part, place) => partSlots(part, partOf(index, place))),
    ...(item['type'] === 'function_call'
      ? slotAt(item, 'arguments', { part: callOf(index), use: 'arguments', isWhole: true })
      : []),
    ...(item['type'] === 'custom_tool_call'
      ? slotAt(item, 'input', { part: callOf(index), use: 'shown', isWhole: true })
      : []),
  ];
}

const partSlots = (part: Writable, name: string): readonly TextSlot[] =>
  ['text', 'refusal'].flatMap((member) => slotAt(part, member, { part: name, use: 'checked', isWhole: true }));
