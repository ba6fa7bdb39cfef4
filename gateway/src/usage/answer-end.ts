/** How an answer ended and what its provider calls it, found in its bytes without parsing the answer. */
import { isNearRoot } from './nesting.ts';

export interface AnswerEnd {
  /** By the provider's name; undefined: it has none. */
  readonly id: string | undefined;
  /** In the words of OpenTelemetry's conventions, one for each choice that names one: at most 16. */
  readonly finishReasons: readonly string[];
}

/** The beginning and the end of an answer, or the whole as both. */
export interface AnswerEdges {
  readonly head: string;
  readonly tail: string;
}

const ID = /"id"\s*:\s*"([\w.:/+=-]{1,256})"/;
// Within a JSON string its quotes would be escaped: what matches is a member.
const REASONS = [/"finish_reason"\s*:\s*"(\w{1,64})"/g, /"stop_reason"\s*:\s*"(\w{1,64})"/g] as const;
/** Of choices in an answer, or of the part of an event: arguments of tool calls are deeper. */
const MAX_ENCLOSING = 1;
const MAX_REASONS = 16;

export const findEnd = ({ head, tail }: AnswerEdges): AnswerEnd => ({
  id: findId(head),
  finishReasons: findReasons(tail),
});

/** What lies in a list is a part of the answer. */
function findId(head: string): string | undefined {
  const found = ID.exec(head);
  return found === null || isInList(head, found.index) ? undefined : found[1];
}

const STRING = /"(?:[^"\\]|\\.)*"/g;

function isInList(text: string, at: number): boolean {
  const plain = text.slice(0, at).replace(STRING, '');
  return plain.lastIndexOf('[') > plain.lastIndexOf(']');
}

/** Some providers have the matched stop sequence beside the reason of a choice, by the name that the reason of a message has. */
function findReasons(tail: string): readonly string[] {
  for (const pattern of REASONS) {
    const reasons: string[] = [];
    pattern.lastIndex = 0;
    for (let found = pattern.exec(tail); found !== null && reasons.length < MAX_REASONS; found = pattern.exec(tail)) {
      const [, reason] = found;
      if (reason !== undefined && isNearRoot(tail, pattern.lastIndex, MAX_ENCLOSING))
        reasons.push(toFinishReason(reason));
    }
    if (reasons.length > 0) return reasons;
  }
  return [];
}

/** Source: OpenTelemetry's semantic conventions for generative AI, FinishReason. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['tool_use', 'tool_call'],
  ['tool_calls', 'tool_call'],
  ['function_call', 'tool_call'],
  ['refusal', 'content_filter'],
]);

/** Other words are as the provider has them. */
export const toFinishReason = (reason: string): string => WORDS.get(reason) ?? reason;
