import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { JsonObject, WireContext } from '../contract.ts';
import { withContentBlocks } from './content-blocks.ts';
import { type OpenAiDialect, repairChoices } from './dialect.ts';

/** Generated ids are as long as OpenAI's own. */
const ID_LENGTH = 29;

/** Reads a chat completion of an upstream with a dialect: repaired, completed and tagged; every other member is kept. */
export function readChatAnswer(body: unknown, ctx: WireContext, dialect: OpenAiDialect): Result<JsonObject, string> {
  const repaired = readAnswer(body, ctx, dialect);
  if (repaired === undefined) return err('choices are missing');
  const answer = filled(repaired, { object: 'chat.completion', ctx });
  return ok(ctx.strict ? answer : withContentBlocks(answer));
}

/** Reads a text completion the same way. */
export function readCompletionAnswer(
  body: unknown,
  ctx: WireContext,
  dialect: OpenAiDialect,
): Result<JsonObject, string> {
  const repaired = readAnswer(body, ctx, dialect);
  return repaired === undefined ? err('choices are missing') : ok(filled(repaired, { object: 'text_completion', ctx }));
}

function readAnswer(body: unknown, ctx: WireContext, dialect: OpenAiDialect): JsonObject | undefined {
  if (!isObject(body)) return undefined;
  const answer = dialect.body?.(body, ctx) ?? body;
  const choices = answer['choices'];
  if (!Array.isArray(choices)) return undefined;
  const usage = answer['usage'];
  return {
    ...answer,
    choices: repairChoices(choices, 'message', dialect, ctx),
    ...(isObject(usage) ? { usage: dialect.usage?.(usage) ?? usage } : {}),
  };
}

function filled(answer: JsonObject, { object, ctx }: { object: string; ctx: WireContext }): JsonObject {
  return {
    ...answer,
    id: answer['id'] ?? ctx.newId('chatcmpl-', ID_LENGTH),
    object: answer['object'] ?? object,
    created: answer['created'] ?? Math.floor(ctx.now() / 1000),
    model: answer['model'] ?? ctx.model,
    provider: ctx.provider,
  };
}
