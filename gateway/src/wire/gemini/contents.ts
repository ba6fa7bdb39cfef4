/** Messages as Gemini turns. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../contract.ts';
import { objectAt, textAt, withoutAbsent } from '../json/json.ts';
import type { ChatMessage } from '../openai/index.ts';
import {
  isForeignThought,
  isSystem,
  messagesOf,
  parseArguments,
  parseJsonObject,
  partsOf,
  textOf,
  textOfPart,
} from '../openai/index.ts';
import { type GeminiPart, type InlineMedia, toGeminiPart } from './media.ts';

export interface GeminiContent {
  readonly role: 'user' | 'model';
  readonly parts: readonly GeminiPart[];
}

export interface GeminiTurns {
  readonly systemInstruction: { readonly parts: readonly GeminiPart[] } | undefined;
  readonly contents: readonly GeminiContent[];
}

/** Models without system instructions: system messages stay ordinary turns. */
const WITHOUT_SYSTEM_INSTRUCTION: ReadonlySet<string> = new Set([
  'gemini-1.0-pro',
  'gemini-1.0-pro-001',
  'gemini-1.0-pro-latest',
  'gemini-1.0-pro-vision-latest',
  'gemini-pro',
  'gemini-pro-vision',
]);

/** Models without thought signatures; later ones refuse a function call in the history without one. */
const WITHOUT_SIGNATURES = ['gemini-1.5', 'gemini-2.0', 'gemini-2.5'];
const SIGNATURE_NOT_KEPT = 'skip_thought_signature_validator';
const NAME_NOT_KNOWN = 'gateway-tool-filler-name';

interface Conversation {
  readonly media: InlineMedia;
  readonly needsSignatures: boolean;
  /** Function names by the ids of their calls: Gemini matches results by name. */
  readonly names: ReadonlyMap<string, string>;
}

/** System instruction and turns of a request; empty turns are left out. */
export function toGeminiTurns(params: JsonObject, model: string, media: InlineMedia): GeminiTurns {
  const messages = messagesOf(params);
  const apart = !WITHOUT_SYSTEM_INSTRUCTION.has(model);
  const conversation = {
    media,
    needsSignatures: !WITHOUT_SIGNATURES.some((name) => model.includes(name)),
    names: callNames(messages),
  };
  const turns = messages
    .filter((message) => !apart || !isSystem(message))
    .map((message) => toContent(message, conversation))
    .filter((content) => content.parts.length > 0);
  const system = apart ? messages.filter(isSystem).flatMap(systemParts) : [];
  return {
    systemInstruction: system.length === 0 ? undefined : { parts: system },
    contents: model.includes('vision') ? turns : mergeTurns(turns),
  };
}

const systemParts = (message: ChatMessage): readonly GeminiPart[] =>
  partsOf(message.content)
    .map(textOfPart)
    .filter((text) => text !== '')
    .map((text) => ({ text }));

function toContent(message: ChatMessage, conversation: Conversation): GeminiContent {
  if (message.role === 'tool' || message.role === 'function') {
    return { role: 'user', parts: [toFunctionResponse(message, conversation)] };
  }
  const said = partsOf(message.content);
  const parts = (message.role === 'assistant' ? said.filter((part) => !isForeignThought(part)) : said)
    .map((part) => toGeminiPart(part, conversation.media))
    .filter((part) => part !== undefined);
  if (message.role !== 'assistant') return { role: 'user', parts };
  return {
    role: 'model',
    parts: [...parts, ...toolCallsOf(message).map((call) => toFunctionCall(call, conversation))],
  };
}

function mergeTurns(turns: readonly GeminiContent[]): readonly GeminiContent[] {
  const merged: { role: GeminiContent['role']; parts: GeminiPart[] }[] = [];
  for (const { role, parts } of turns) {
    const last = merged.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else merged.push({ role, parts: [...parts] });
  }
  return merged;
}

const toolCallsOf = (message: ChatMessage): readonly JsonObject[] =>
  Array.isArray(message.tool_calls) ? message.tool_calls.filter((call) => isObject(call)) : [];

function callNames(messages: readonly ChatMessage[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const call of messages.flatMap(toolCallsOf)) {
    const id = textAt(call, 'id');
    const name = textAt(objectAt(call, 'function'), 'name');
    if (id !== undefined && name !== undefined) names.set(id, name);
  }
  return names;
}

function toFunctionCall(call: JsonObject, { needsSignatures }: Conversation): GeminiPart {
  const called = objectAt(call, 'function');
  return withoutAbsent({
    functionCall: { name: textAt(called, 'name') ?? NAME_NOT_KNOWN, args: parseArguments(called?.['arguments']) },
    thoughtSignature: textAt(called, 'thought_signature') ?? (needsSignatures ? SIGNATURE_NOT_KEPT : undefined),
  });
}

function toFunctionResponse(message: ChatMessage, { names }: Conversation): GeminiPart {
  const content = textOf(message.content);
  const name = names.get(message.tool_call_id ?? '') ?? textAt({ ...message }, 'name') ?? NAME_NOT_KNOWN;
  return { functionResponse: { name, response: parseJsonObject(content) ?? { content } } };
}
