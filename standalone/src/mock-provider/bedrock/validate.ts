/** What the API refuses in a Converse request; places of lists count from 1, as its own messages do. */
import { isObject } from '@gatehouse/crds';
import { firstFault } from '../first-fault.ts';
import { type JsonObject, readCount, readList, readObject, readString } from '../json.ts';

const OTHER_TOOLS = ['cachePoint', 'systemTool'];

/** A sentence about the first field that is wrong, else nothing. */
export function faultOfConverse(body: JsonObject): string | undefined {
  const messages = readList(body, 'messages') ?? [];
  if (messages.length === 0) return "'messages' must be a list with at least one message";
  const fault = firstFault(messages, faultOfMessage);
  if (fault !== undefined) return fault;
  const [first] = messages;
  if (isObject(first) && first['role'] !== 'user') return 'A conversation must start with a user message';
  return faultOfSystem(body['system']) ?? faultOfInference(body) ?? faultOfTools(body['toolConfig']);
}

function faultOfMessage(message: unknown, at: number): string | undefined {
  const member = `'messages.${at + 1}.member`;
  if (!isObject(message)) return `${member}' must be an object`;
  if (message['role'] !== 'user' && message['role'] !== 'assistant') return `${member}.role' must be user or assistant`;
  return isListOfObjects(message['content']) ? undefined : `${member}.content' must be a list of content blocks`;
}

function faultOfSystem(system: unknown): string | undefined {
  return system === undefined || isListOfObjects(system) ? undefined : "'system' must be a list of content blocks";
}

function faultOfInference(body: JsonObject): string | undefined {
  const config = body['inferenceConfig'] ?? {};
  if (!isObject(config)) return "'inferenceConfig' must be an object";
  if (config['maxTokens'] !== undefined && (readCount(config, 'maxTokens') ?? 0) < 1) {
    return "'inferenceConfig.maxTokens' must be an integer from 1";
  }
  const stops = config['stopSequences'] ?? [];
  const areStops = Array.isArray(stops) && stops.every((stop) => typeof stop === 'string');
  return areStops ? undefined : "'inferenceConfig.stopSequences' must be a list of texts";
}

function faultOfTools(config: unknown): string | undefined {
  if (config === undefined) return undefined;
  const tools = isObject(config) ? (readList(config, 'tools') ?? []) : [];
  if (tools.length === 0) return "'toolConfig.tools' must be a list with at least one tool";
  return firstFault(tools, (tool, at) => {
    const isOther = isObject(tool) && OTHER_TOOLS.some((kind) => isObject(tool[kind]));
    const declared = isObject(tool) ? readObject(tool, 'toolSpec') : undefined;
    if (isOther || (declared !== undefined && readString(declared, 'name') !== undefined)) return undefined;
    return `'toolConfig.tools.${at + 1}.member.toolSpec.name' is missing`;
  });
}

const isListOfObjects = (value: unknown): boolean => Array.isArray(value) && value.every(isObject);
