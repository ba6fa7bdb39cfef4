/** Deviations of an upstream's answers from the OpenAI format. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject, WireContext } from '../contract.ts';
import { toFinishReason } from './finish-reason.ts';

/** Every repair returns the same object when there is nothing to repair. */
export interface OpenAiDialect {
  /** The upstream has its own finish reasons; strict answers have OpenAI's. */
  readonly ownFinishReasons?: true;
  /** Of a whole answer, or of one chunk. */
  body?(body: JsonObject, ctx: WireContext): JsonObject;
  /** Of a message, or of the delta of a chunk. */
  message?(message: JsonObject, ctx: WireContext): JsonObject;
  usage?(usage: JsonObject): JsonObject;
}

/** The member of a choice that holds the message or its delta. */
export type ChoiceMember = 'message' | 'delta';

/** The choices of an answer or chunk with the dialect's repairs done. */
export function repairChoices(
  choices: readonly unknown[],
  member: ChoiceMember,
  dialect: OpenAiDialect,
  ctx: WireContext,
): readonly unknown[] {
  return choices.map((choice) => (isObject(choice) ? repairChoice(choice, member, dialect, ctx) : choice));
}

function repairChoice(choice: JsonObject, member: ChoiceMember, dialect: OpenAiDialect, ctx: WireContext): JsonObject {
  const message = choice[member];
  const repaired = isObject(message) ? (dialect.message?.(message, ctx) ?? message) : message;
  const reason = choice['finish_reason'];
  const mapped = dialect.ownFinishReasons && ctx.strict && typeof reason === 'string' ? toFinishReason(reason) : reason;
  if (repaired === message && mapped === reason) return choice;
  return { ...choice, ...(message === undefined ? {} : { [member]: repaired }), finish_reason: mapped };
}
