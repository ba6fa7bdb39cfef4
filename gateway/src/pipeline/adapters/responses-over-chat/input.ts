/** Instructions and input of a response as the messages of a chat. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../../wire/contract.ts';
import { textAt } from '../../../wire/json/json.ts';
import { type Place, toChatContent } from './content.ts';
import { Conversation } from './conversation.ts';
import { refuseContent, refuseShape, shownType } from './refusals.ts';
import { toThinkingBlock } from './thoughts.ts';
import { toChatName, toolNameOf } from './tool-names.ts';
import { toCustomArguments } from './tools.ts';

/** Throws AppError that names the item. `around`: the place without its path. */
export function toMessages({ instructions, input }: JsonObject, around: Omit<Place, 'path'>): readonly object[] {
  const conversation = new Conversation();
  if (typeof instructions === 'string') conversation.add({ role: 'system', content: instructions });
  else if (instructions !== undefined && instructions !== null) refuseShape('instructions', 'a text');
  if (typeof input === 'string') conversation.add({ role: 'user', content: input });
  else if (Array.isArray(input)) {
    for (const [i, item] of input.entries()) addItem(conversation, item, { ...around, path: `input[${i}]` });
  } else refuseShape('input', 'a text or a list of items');
  return conversation.messages;
}

type AddItem = (conversation: Conversation, item: JsonObject, place: Place) => void;

const ITEMS: ReadonlyMap<unknown, AddItem> = new Map<unknown, AddItem>([
  ['message', addMessage],
  ['function_call', (conversation, item, place) => addCall(conversation, item, { ...place, toArguments })],
  ['custom_tool_call', (conversation, item, place) => addCall(conversation, item, { ...place, toArguments: ofCustom })],
  ['function_call_output', addOutput],
  ['custom_tool_call_output', addOutput],
  ['reasoning', addReasoning],
]);

function addItem(conversation: Conversation, item: unknown, place: Place): void {
  const { path, provider } = place;
  const given = isObject(item) ? item : refuseShape(path, 'an object');
  const type = given['type'] ?? (given['role'] === undefined ? undefined : 'message');
  const add = ITEMS.get(type) ?? refuseContent(path, { provider, what: `item ${shownType(type)}` });
  add(conversation, given, place);
}

const ROLES: ReadonlyMap<string, string> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
]);

function addMessage(conversation: Conversation, item: JsonObject, place: Place): void {
  const role = textAt(item, 'role') ?? refuseShape(`${place.path}.role`, 'the role of a message');
  const content = toChatContent(item['content'], { ...place, path: `${place.path}.content` });
  if (role === 'assistant') conversation.addAnswer(content);
  else conversation.add({ role: ROLES.get(role) ?? 'user', content });
}

interface CallPlace extends Place {
  toArguments(item: JsonObject): string;
}

function addCall(conversation: Conversation, item: JsonObject, { path, toArguments: read }: CallPlace): void {
  const tool = toolNameOf(item) ?? refuseShape(`${path}.name`, 'a text');
  conversation.addCall({
    id: callIdOf(item, path),
    type: 'function',
    function: { name: toChatName(tool), arguments: read(item) },
  });
}

const toArguments = (item: JsonObject): string => {
  const given = item['arguments'];
  return typeof given === 'string' ? given : JSON.stringify(given ?? {});
};

const ofCustom = (item: JsonObject): string => toCustomArguments(textAt(item, 'input') ?? '');

function addOutput(conversation: Conversation, item: JsonObject, place: Place): void {
  const { output } = item;
  const content = isObject(output)
    ? JSON.stringify(output)
    : toChatContent(output, { ...place, path: `${place.path}.output` });
  conversation.add({ role: 'tool', tool_call_id: callIdOf(item, place.path), content });
}

const callIdOf = (item: JsonObject, path: string): string =>
  textAt(item, 'call_id') ?? textAt(item, 'id') ?? refuseShape(`${path}.call_id`, 'a text');

/** Thinking of another provider's model is left out. */
function addReasoning(conversation: Conversation, item: JsonObject): void {
  const block = toThinkingBlock(item);
  if (block !== undefined) conversation.addThinking(block);
}
