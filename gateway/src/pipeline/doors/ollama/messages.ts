/** Messages of a conversation with Ollama as those of a chat. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../../wire/contract.ts';
import { objectAt, objectsAt, textAt, withoutAbsent } from '../../../wire/json/json.ts';
import { refuseShape } from '../refuse.ts';
import { list, object, text } from '../shape.ts';
import { toImageParts } from './images.ts';

const checkCalls = object({
  tool_calls: list('a list of calls', object({ id: text, function: object({ name: text }) })),
  tool_call_id: text,
  tool_name: text,
  thinking: text,
});

const ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'tool']);

/** Throws PARAMETER_INVALID. */
export function toChatMessages(given: unknown): readonly object[] {
  const messages = given ?? [];
  if (!Array.isArray(messages)) return refuseShape('messages', 'a list of messages');
  const calls = new OpenCalls();
  const last = messages.length - 1;
  return messages.map((message: unknown, i) => {
    if (!isObject(message)) return refuseShape(`messages[${i}]`, 'a message');
    const made = toMessage(message, `messages[${i}]`, calls);
    // Guardrails look at the content of the last message: nothing else may speak there.
    return i === last ? made : { ...made, ...thinkingOf(message) };
  });
}

/** Of earlier answers, for servers of Ollama alone. */
function thinkingOf({ role, thinking }: JsonObject): JsonObject {
  return role === 'assistant' && typeof thinking === 'string' && thinking !== '' ? { thinking } : {};
}

function toMessage(message: JsonObject, path: string, calls: OpenCalls): object {
  const { role, content: given } = message;
  if (!ROLES.has(role)) return refuseShape(`${path}.role`, 'system, user, assistant or tool');
  const said = given ?? '';
  if (typeof said !== 'string') return refuseShape(`${path}.content`, 'a text');
  checkCalls(message, path);
  if (role === 'tool')
    return withoutAbsent({
      role,
      tool_call_id: calls.answer(message),
      content: said,
      tool_name: textAt(message, 'tool_name'),
    });
  const images = toImageParts(message['images'], `${path}.images`);
  const content = images.length === 0 ? said : [...(said === '' ? [] : [{ type: 'text', text: said }]), ...images];
  const toolCalls = objectsAt(message, 'tool_calls').map((call) => calls.open(call));
  return withoutAbsent({ role, content, tool_calls: toolCalls.length === 0 ? undefined : toolCalls });
}

/** Calls of tools that are not answered. Clients of Ollama may leave out their ids: answers come in the order of the calls. */
class OpenCalls {
  readonly #open: { readonly id: string; readonly name: string }[] = [];
  #count = 0;

  open(call: JsonObject): object {
    const called = objectAt(call, 'function');
    const id = textAt(call, 'id') || `call_${this.#count}`;
    this.#count += 1;
    const name = textAt(called, 'name') ?? '';
    this.#open.push({ id, name });
    const given = called?.['arguments'];
    return {
      id,
      type: 'function',
      function: { name, arguments: typeof given === 'string' ? given : JSON.stringify(given ?? {}) },
    };
  }

  answer(message: JsonObject): string {
    const id = textAt(message, 'tool_call_id');
    const name = textAt(message, 'tool_name') ?? textAt(message, 'name');
    const found = this.#open.findIndex((call) => (id === undefined ? call.name === name : call.id === id));
    const [taken] = this.#open.splice(Math.max(0, found), id !== undefined && found < 0 ? 0 : 1);
    return id ?? taken?.id ?? `call_${this.#count}`;
  }
}
