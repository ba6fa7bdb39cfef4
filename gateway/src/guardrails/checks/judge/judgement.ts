import { isObject } from '@gatehouse/crds';

export interface Judgement {
  /** From 0 to 1. */
  readonly score: number;
  readonly reason: string;
}

/** Characters of an answer that are read, and of a reason that are shown. */
const MAX_ANSWER = 65_536;
const MAX_REASON = 300;

/**
 * Only an answer that is the judgement as a whole counts: a judgement within other words may be one that the model quotes
 * from the text.
 */
export function readJudgement(answer: string): Judgement | undefined {
  if (answer.length > MAX_ANSWER) return undefined;
  const value = parsed(withoutFence(answer.trim()));
  if (!isObject(value)) return undefined;
  const { score, reason } = value;
  if (typeof score !== 'number' || !(score >= 0 && score <= 1) || typeof reason !== 'string') return undefined;
  return { score, reason: reason.slice(0, MAX_REASON) };
}

const FENCE = '```';

/** Some models cannot leave out a block of code around their whole answer. */
function withoutFence(text: string): string {
  const inner = text.indexOf('\n') + 1;
  const isFenced = inner > 0 && text.startsWith(FENCE) && text.endsWith(FENCE) && text.length > inner + FENCE.length;
  return isFenced ? text.slice(inner, -FENCE.length) : text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
