/** Usage and model of an answer, found in its bytes without parsing the answer. */
import { isObject, parseJson } from '@gatehouse/crds';
import { readUsage, type TokenUsage } from './token-usage.ts';

/** What an answer reports about the call it answers. */
export interface AnswerReport {
  readonly usage: TokenUsage | undefined;
  /** The model that answered, by the provider's name. */
  readonly model: string | undefined;
  /** The usage is told from something else than what the provider counted. */
  readonly estimated?: boolean;
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
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LF = 0x0a;
const CR = 0x0d;
/**
 * Objects around a usage object: an answer and its event, a message or a choice. Those around what a model says, such as the
 * arguments of a tool call, are more.
 */
const MAX_ENCLOSING = 2;

/** What a whole answer reports. */
export function readReport(bytes: Buffer): AnswerReport {
  const tail = bytes.toString('latin1', Math.max(0, bytes.length - TAIL_BYTES));
  const head = bytes.length <= MODEL_SEARCH_CHARS ? tail : bytes.toString('latin1', 0, MODEL_SEARCH_CHARS);
  return { usage: findUsage(tail), model: findModel(head) };
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
    if (usage !== undefined && isNearRoot(text, USAGE.lastIndex))
      merged = merged === undefined ? usage : { ...merged, ...usage };
  }
  return merged === undefined ? undefined : readUsage(merged);
}

/** Whether few objects are still open behind the beginning of an object. */
function isNearRoot(text: string, start: number): boolean {
  let open = 1;
  let enclosing = 0;
  for (let at = start; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (isEndOfEvent(unit, text.charCodeAt(at + 1))) return true;
    if (unit === QUOTE) at = endOfString(text, at);
    else if (unit === OPEN) open += 1;
    else if (unit === CLOSE && open > 0) open -= 1;
    else if (unit === CLOSE) enclosing += 1;
    if (enclosing > MAX_ENCLOSING) return false;
  }
  return true;
}

/** Two line ends, of whatever kind: the text may hold several events. */
const isEndOfEvent = (unit: number, next: number): boolean =>
  (unit === LF && (next === LF || next === CR)) || (unit === CR && next === CR);

/** The index of the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
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
