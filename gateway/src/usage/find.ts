/** Usage and model of an answer, found in its bytes without parsing the answer. */
import { isObject, parseJson } from '@gatehouse/crds';
import { type AnswerEnd, findEnd } from './answer-end.ts';
import { isNearRoot } from './nesting.ts';
import { readUsage, type TokenUsage } from './token-usage.ts';

/** What an answer reports about the call it answers. */
export interface AnswerReport {
  readonly usage: TokenUsage | undefined;
  /** The model that answered, by the provider's name. */
  readonly model: string | undefined;
  /** The usage is told from something else than what the provider counted. */
  readonly estimated?: boolean;
  /** Searches for its end, where somebody shows that; absent: it is no answer in a known format. */
  end?(this: void): AnswerEnd;
}

/** Bytes at the end of a whole answer that are searched for its usage. */
const TAIL_BYTES = 16 * 1024;
/** Characters at the start of an answer that are searched for its model. */
export const MODEL_SEARCH_CHARS = 2 * 1024;
/** Longest usage object that is read, in characters. */
const MAX_USAGE_CHARS = 4096;
const USAGE = /"usage(?:Metadata)?"\s*:\s*\{/g;
// Within a JSON string its quotes would be escaped: what matches is a member.
const MODEL = /"model(?:Version)?"\s*:\s*"([^"\\]{1,256})"/;
const OPEN = 0x7b; // {
const CLOSE = 0x7d; // }
/**
 * Objects around a usage object: an answer and its event, a message or a choice. Those around what a model says, such as the
 * arguments of a tool call, are more.
 */
const MAX_ENCLOSING = 2;

/** What a whole answer reports. */
export function readReport(bytes: Buffer): AnswerReport {
  const tail = bytes.toString('latin1', Math.max(0, bytes.length - TAIL_BYTES));
  const head = bytes.length <= MODEL_SEARCH_CHARS ? tail : bytes.toString('latin1', 0, MODEL_SEARCH_CHARS);
  return { usage: findUsage(tail), model: findModel(head), end: () => findEnd({ head, tail }) };
}

/** The model that the start of an answer names. */
export const findModel = (head: string): string | undefined => MODEL.exec(head)?.[1];

/**
 * The usage in the JSON or SSE text of an answer in any of our formats; later objects add what earlier ones lack, which
 * is how message streams spread it. Undefined when the text names none.
 */
export function findUsage(text: string): TokenUsage | undefined {
  let merged: Record<string, unknown> | undefined;
  USAGE.lastIndex = 0;
  while (USAGE.test(text)) {
    const usage = parseObjectAt(text, USAGE.lastIndex - 1);
    if (usage !== undefined && isNearRoot(text, USAGE.lastIndex, MAX_ENCLOSING))
      merged = merged === undefined ? usage : { ...merged, ...usage };
  }
  return merged === undefined ? undefined : readUsage(merged);
}

function parseObjectAt(text: string, start: number): Record<string, unknown> | undefined {
  const end = Math.min(text.length, start + MAX_USAGE_CHARS);
  let depth = 0;
  for (let at = start; at < end; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === OPEN) depth += 1;
    else if (unit === CLOSE) depth -= 1;
    else continue;
    if (depth > 0) continue;
    try {
      const value: unknown = parseJson(text.slice(start, at + 1));
      return isObject(value) ? value : undefined;
    } catch {
      return undefined;
    }
  }
  return undefined;
}
