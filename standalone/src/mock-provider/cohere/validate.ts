/** What the API refuses in a chat request. */
import { isObject } from '@gatehouse/crds';
import { firstFault } from '../first-fault.ts';
import { type JsonObject, readCount, readList, readObject, readString } from '../json.ts';

const ROLES: readonly unknown[] = ['system', 'user', 'assistant', 'tool'];
const CITATION_MODES: readonly unknown[] = ['ENABLED', 'DISABLED', 'FAST', 'ACCURATE', 'OFF'];
const FORMATS: readonly unknown[] = ['text', 'json_object'];
const TOOL_CHOICES: readonly unknown[] = ['REQUIRED', 'NONE'];
const MAX_STOP_SEQUENCES = 5;

/** A sentence about the first field that is wrong, else nothing. */
export function faultOfChat(body: JsonObject): string | undefined {
  if (readString(body, 'model') === undefined) return 'model is required';
  const messages = readList(body, 'messages') ?? [];
  if (messages.length === 0) return 'messages must be a list with at least one message';
  return firstFault(messages, faultOfMessage) ?? faultOfTools(body) ?? faultOfDocuments(body) ?? faultOfOptions(body);
}

function faultOfMessage(message: unknown, at: number): string | undefined {
  const place = `messages[${at}]`;
  if (!isObject(message)) return `${place} must be an object`;
  const { role, content } = message;
  if (!ROLES.includes(role)) return `${place}.role must be one of ${ROLES.join(', ')}`;
  if (role === 'tool' && readString(message, 'tool_call_id') === undefined) return `${place}.tool_call_id is required`;
  if (typeof content === 'string' || (Array.isArray(content) && content.every(isObject))) return undefined;
  const isCall = role === 'assistant' && Array.isArray(message['tool_calls']);
  return isCall && (content === undefined || content === null)
    ? undefined
    : `${place}.content must be a text or a list of objects`;
}

function faultOfTools(body: JsonObject): string | undefined {
  const tools = readList(body, 'tools') ?? [];
  const choice = body['tool_choice'];
  if (choice !== undefined && !TOOL_CHOICES.includes(choice)) return 'tool_choice must be REQUIRED or NONE';
  if (choice !== undefined && tools.length === 0) return 'tool_choice can only be used with tools';
  return firstFault(tools, (tool, at) => {
    const declared = isObject(tool) ? readObject(tool, 'function') : undefined;
    const isNamed = declared !== undefined && readString(declared, 'name') !== undefined;
    return isNamed ? undefined : `tools[${at}].function.name is required`;
  });
}

function faultOfDocuments(body: JsonObject): string | undefined {
  return firstFault(readList(body, 'documents') ?? [], (item, at) => {
    const isDocument = typeof item === 'string' || (isObject(item) && isObject(item['data']));
    return isDocument ? undefined : `documents[${at}] must be a text or an object with data`;
  });
}

function faultOfOptions(body: JsonObject): string | undefined {
  const { max_tokens: limit, stop_sequences: stops } = body;
  if (limit !== undefined && readCount(body, 'max_tokens') === undefined) return 'max_tokens must be an integer from 0';
  const areStops =
    Array.isArray(stops) && stops.length <= MAX_STOP_SEQUENCES && stops.every((stop) => typeof stop === 'string');
  if (stops !== undefined && !areStops) return `stop_sequences must be a list of up to ${MAX_STOP_SEQUENCES} texts`;
  return (
    faultOfChoice(body, 'citation_options', 'mode', CITATION_MODES) ??
    faultOfChoice(body, 'response_format', 'type', FORMATS)
  );
}

function faultOfChoice(
  body: JsonObject,
  field: string,
  member: string,
  values: readonly unknown[],
): string | undefined {
  const options = body[field];
  if (options === undefined) return undefined;
  const value = isObject(options) ? options[member] : null;
  return value === undefined || values.includes(value)
    ? undefined
    : `${field}.${member} must be one of ${values.join(', ')}`;
}
