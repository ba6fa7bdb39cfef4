/** Responses: named pieces, and again whole texts, parts, items and the whole answer. Source: OpenAI Responses API, streaming events. */

import { isObject } from '@gatehouse/crds';
import { scalarText } from '../../../lib/scalar-text.ts';
import { hasOwnSeal } from '../../../wire/openai/index.ts';
import { type Path, type TextWithin, textsOfBlock, textsOfItem, textsOfMembers } from '../../extract/index.ts';
import { type EventTexts, objectsIn, type StreamFormat, slotAt, type TextSlot, type Writable } from './format.ts';
import { closed, type Ended, JsonReaders, joined, jsonSlots, NO_SLOTS, slotsWithin } from './within.ts';

export function responsesFormat(): StreamFormat {
  const inputs = new JsonReaders();
  return { repeats: true, read: (data) => read(data, inputs), end: () => inputs.endAll() };
}

/** Events of one text: the member that has it, and what it is for. */
interface TextEvent {
  readonly member: string;
  readonly use: TextSlot['use'];
  readonly isWhole: boolean;
  /** What it is a text of, other than a part of the content or a call. */
  readonly of?: 'code' | 'summary' | 'command';
}

const TEXT_EVENTS: ReadonlyMap<unknown, TextEvent> = new Map<string, TextEvent>([
  ['response.output_text.delta', { member: 'delta', use: 'checked', isWhole: false }],
  ['response.output_text.done', { member: 'text', use: 'checked', isWhole: true }],
  ['response.refusal.delta', { member: 'delta', use: 'checked', isWhole: false }],
  ['response.refusal.done', { member: 'refusal', use: 'checked', isWhole: true }],
  ['response.reasoning_text.delta', { member: 'delta', use: 'checked', isWhole: false }],
  ['response.reasoning_text.done', { member: 'text', use: 'checked', isWhole: true }],
  ['response.reasoning_summary_text.delta', { member: 'delta', use: 'checked', isWhole: false, of: 'summary' }],
  ['response.reasoning_summary_text.done', { member: 'text', use: 'checked', isWhole: true, of: 'summary' }],
  ['response.code_interpreter_call_code.delta', { member: 'delta', use: 'checked', isWhole: false, of: 'code' }],
  ['response.code_interpreter_call_code.done', { member: 'code', use: 'checked', isWhole: true, of: 'code' }],
  ['response.shell_call_command.added', { member: 'command', use: 'checked', isWhole: false, of: 'command' }],
  ['response.shell_call_command.delta', { member: 'delta', use: 'checked', isWhole: false, of: 'command' }],
  ['response.shell_call_command.done', { member: 'command', use: 'checked', isWhole: true, of: 'command' }],
  ['response.function_call_arguments.delta', { member: 'delta', use: 'arguments', isWhole: false }],
  ['response.function_call_arguments.done', { member: 'arguments', use: 'arguments', isWhole: true }],
  ['response.custom_tool_call_input.delta', { member: 'delta', use: 'shown', isWhole: false }],
  ['response.custom_tool_call_input.done', { member: 'input', use: 'shown', isWhole: true }],
]);

/** Events behind the last text. */
const LAST: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed', 'error']);

const UNSEEN = /^response\.(?:audio|apply_patch_call_operation_diff)\.[a-z]+$/;

/** `inputs`: of the calls that the provider answers itself. */
function read(data: Writable, inputs: JsonReaders): EventTexts {
  const { type } = data;
  const event = TEXT_EVENTS.get(type);
  if (event !== undefined) {
    const part = partOfEvent(event, data);
    const { use, isWhole } = event;
    return { data, slots: slotAt(data, event.member, { part, use, isWhole }), ends: isWhole ? [part] : [] };
  }
  const found = inJson(data, inputs) ?? inShell(data) ?? whole(data) ?? unknown(data);
  return LAST.has(type) ? { data, ...found, ends: 'all' } : { data, ...found };
}

function partOfEvent({ use, of }: TextEvent, data: Writable): string {
  const { output_index: item, content_index: content, summary_index: summary } = data;
  if (of === 'code') return codeOf(item);
  if (of === 'summary') return summaryOf(item, summary);
  if (of === 'command') return commandOf(item, data['command_index']);
  return use === 'checked' ? partOf(item, content) : callOf(item);
}

/** Of calls of servers of tools. */
function inJson(data: Writable, inputs: JsonReaders): Ended | undefined {
  const part = jsonOf(data['output_index']);
  switch (data['type']) {
    case 'response.mcp_call_arguments.delta':
      return jsonSlots(data, 'delta', { input: inputs.of(part), part, use: 'checked' });
    case 'response.mcp_call_arguments.done':
      return joined([{ slots: [], ends: inputs.end(part) }, jsonSlots(data, 'arguments', { part, use: 'checked' })]);
    default:
      return undefined;
  }
}

/** What commands have put out. */
function inShell({ type, delta, output, output_index: item, command_index: command }: Writable): Ended | undefined {
  const slotsOf = (each: Writable, isWhole: boolean): TextSlot[] =>
    ['stdout', 'stderr'].flatMap((name) =>
      slotAt(each, name, { part: outputOf(item, command, name), use: 'checked', isWhole }),
    );
  switch (type) {
    case 'response.shell_call_output_content.delta':
      return isObject(delta) ? { slots: slotsOf(delta, false), ends: [] } : undefined;
    case 'response.shell_call_output_content.done': {
      const slots = objectsIn(output).flatMap((each) => slotsOf(each, true));
      return { slots, ends: ['stdout', 'stderr'].map((name) => outputOf(item, command, name)) };
    }
    default:
      return undefined;
  }
}

/** Events that are not known, but say something; sound and what a client runs itself is not looked at. */
function unknown(data: Writable): Ended {
  const { type, delta, output_index: item, content_index: content } = data;
  if (typeof type !== 'string' || !type.startsWith('response.') || UNSEEN.test(type)) return NO_SLOTS;
  const part = `${type.slice(0, type.lastIndexOf('.'))} ${partOf(item, content)}`;
  const slots = [
    ...slotAt(data, 'delta', { part, use: 'checked' }),
    ...slotAt(data, 'text', { part, use: 'checked', isWhole: true }),
  ];
  const own = { slots, ends: type.endsWith('.delta') ? [] : [part] };
  return isObject(delta) ? joined([own, within(data, textsOfMembers(data, ['delta'], []), item)]) : own;
}

const partOf = (item: unknown, content: unknown): string => `${scalarText(item)}.${scalarText(content)}`;
const callOf = (item: unknown): string => `${scalarText(item)}.call`;
const summaryOf = (item: unknown, place: unknown): string => `${scalarText(item)}.summary.${scalarText(place)}`;
const codeOf = (item: unknown): string => `${scalarText(item)}.code`;
const commandOf = (item: unknown, command: unknown): string => `${scalarText(item)}.command.${scalarText(command)}`;
const outputOf = (item: unknown, command: unknown, name: string): string =>
  `${scalarText(item)}.output.${scalarText(command)}.${name}`;
const jsonOf = (item: unknown): string => `${scalarText(item)}.json`;

/** The texts of a whole annotation, part, item or answer. */
function whole(data: Writable): Ended | undefined {
  const { annotation, part, item, response, output_index: index } = data;
  const { content_index: content, summary_index: summary } = data;
  if (isObject(annotation)) return within(data, textsOfMembers(data, ['annotation'], []), index);
  if (isObject(part)) {
    const name = summary === undefined ? partOf(index, content) : summaryOf(index, summary);
    return closed(partSlots(part, name), name);
  }
  if (isObject(item)) return closed(itemSlots(item, index), callOf(index));
  if (!isObject(response)) return undefined;
  return joined(objectsIn(response['output']).map((each, place) => itemSlots(each, place)));
}

function itemSlots(item: Writable, index: unknown): Ended {
  const { type } = item;
  return joined([
    ...objectsIn(item['summary']).map((part, place) => unsealing(item, partSlots(part, summaryOf(index, place)))),
    ...objectsIn(item['content']).map((part, place) => partSlots(part, partOf(index, place))),
    {
      slots: [
        ...(type === 'function_call'
          ? slotAt(item, 'arguments', { part: callOf(index), use: 'arguments', isWhole: true })
          : []),
        ...(type === 'custom_tool_call'
          ? slotAt(item, 'input', { part: callOf(index), use: 'shown', isWhole: true })
          : []),
        ...(type === 'code_interpreter_call'
          ? slotAt(item, 'code', { part: codeOf(index), use: 'checked', isWhole: true })
          : []),
      ],
      ends: [],
    },
    within(
      item,
      textsOfItem(item, []).filter(({ path }) => !isCode(item, path)),
      index,
      (path) => shellPart(item, path, index),
    ),
  ]);
}

/** What a model has signed holds for the text as it was. */
function unsealing(item: Writable, texts: Ended): Ended {
  if (!hasOwnSeal(item)) return texts;
  const write =
    (slot: TextSlot) =>
    (text: string): void => {
      slot.write(text);
      delete item['encrypted_content'];
    };
  return { ...texts, slots: texts.slots.map((slot) => ({ ...slot, write: write(slot) })) };
}

/** It comes in pieces. */
const isCode = ({ type }: Writable, path: Path): boolean => type === 'code_interpreter_call' && path[0] === 'code';

/** Of commands of a shell, and of what they have put out, which may have come in pieces. */
function shellPart({ type }: Writable, path: Path, index: unknown): string | undefined {
  const [first, second, third] = path;
  if (type === 'shell_call') return second === 'commands' ? commandOf(index, third) : undefined;
  return type === 'shell_call_output' && first === 'output' ? outputOf(index, second, String(third)) : undefined;
}

const within = (
  owner: Writable,
  texts: readonly TextWithin[],
  index: unknown,
  known?: (path: Path) => string | undefined,
): Ended => slotsWithin(owner, texts, { use: 'checked', json: () => jsonOf(index), ...(known && { known }) });

const partSlots = (part: Writable, name: string): Ended =>
  joined([
    {
      slots: ['text', 'refusal'].flatMap((member) =>
        slotAt(part, member, { part: name, use: 'checked', isWhole: true }),
      ),
      ends: [],
    },
    within(part, textsOfBlock(part, []), name),
  ]);
