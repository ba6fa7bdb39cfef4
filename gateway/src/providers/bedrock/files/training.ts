/** Lines of training data: chats in the format of OpenAI, in the words of the service. Source: Amazon Bedrock, "Prepare your training datasets". */
import { isObject } from '@gatehouse/crds';
import { conversationOf } from '../../../wire/anthropic/index.ts';
import { invalidRow, type ReadLine } from '../../../wire/batch-rows/index.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { textAt } from '../../../wire/json/json.ts';
import { isSystem, textOf } from '../../../wire/openai/index.ts';

export type TrainingKind = 'text' | 'chat';

/** Throws PARAMETER_INVALID with the line. */
export function toTraining(line: ReadLine, kind: TrainingKind): JsonObject {
  const { value } = line;
  if (!isObject(value)) throw invalidRow(line, 'it is not a JSON object, has a name twice, or is nested too deep');
  return kind === 'text' ? toPair(value, line) : toConversation(value, line);
}

interface Turn {
  readonly role: string;
  readonly content: string;
}

function turnsOf(
  value: JsonObject,
  line: ReadLine,
): { readonly system: string | undefined; readonly turns: readonly Turn[] } {
  if (!Array.isArray(value['messages'])) throw invalidRow(line, 'messages must be a list');
  const [first, ...rest] = conversationOf(value);
  if (first === undefined) throw invalidRow(line, 'messages is empty');
  const toTurn = ({ role, content }: typeof first): Turn => ({ role, content: textOf(content) });
  return isSystem(first)
    ? { system: textOf(first.content), turns: rest.map(toTurn) }
    : { system: undefined, turns: [first, ...rest].map(toTurn) };
}

function toConversation(value: JsonObject, line: ReadLine): JsonObject {
  const { system, turns } = turnsOf(value, line);
  const alternate = turns.every(({ role }, i) => role === (i % 2 === 0 ? 'user' : 'assistant'));
  if (!alternate || turns.length === 0 || turns.length % 2 !== 0) {
    throw invalidRow(line, 'messages must be of user and assistant in turn, behind one of system at most');
  }
  return { ...(system === undefined ? {} : { system }), messages: turns };
}

function toPair(value: JsonObject, line: ReadLine): JsonObject {
  const prompt = textAt(value, 'prompt');
  const completion = textAt(value, 'completion');
  if (prompt !== undefined && completion !== undefined) return { prompt, completion };
  const { system, turns } = turnsOf(value, line);
  const [user, assistant] = turns;
  if (system !== undefined || turns.length !== 2 || user?.role !== 'user' || assistant?.role !== 'assistant') {
    throw invalidRow(line, 'it has prompt and completion, or one message of user and one of assistant');
  }
  return { prompt: user.content, completion: assistant.content };
}
