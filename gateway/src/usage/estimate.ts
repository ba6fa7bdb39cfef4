/** Tokens of answers whose provider did not say, or did not get to say, how many they have. */
import { NO_USAGE, type TokenUsage } from './token-usage.ts';

/** Bytes that are taken for one token. */
const BYTES_PER_TOKEN = 4;
/** Members of answers and of their events that hold what a model said, in all our formats. */
const SAID =
  /"(?:content|text|delta|thinking|reasoning|reasoning_content|refusal|arguments|partial_json)"\s*:\s*"((?:[^"\\]|\\.)*)"/g;
/** The end of an answer that is looked at, in characters. */
const SAMPLE_CHARS = 16 * 1024;

/** What is known of an answer without usage, or with a part of it. */
export interface UncountedAnswer {
  /** Bytes of the request; 0: not known. */
  readonly requestBytes: number;
  /** Text of the answer, or a part of it that stands for the whole. */
  readonly sample: string;
  /** Bytes of the whole answer. */
  readonly bytes: number;
  /** As far as the provider got. */
  readonly known: TokenUsage | undefined;
}

/** Tokens of the output, by the share of the sample that is text. */
function estimateOutput({ sample, bytes }: Pick<UncountedAnswer, 'sample' | 'bytes'>): number {
  const text = sample.length > SAMPLE_CHARS ? sample.slice(-SAMPLE_CHARS) : sample;
  let said = 0;
  for (const match of text.matchAll(SAID)) said += match[1]?.length ?? 0;
  return said === 0 ? 0 : Math.ceil((bytes * said) / text.length / BYTES_PER_TOKEN);
}

/** The usage of such an answer. What the provider counted wins, unless much more was received than it had counted. */
export function estimateUsage(answer: UncountedAnswer): TokenUsage {
  const { known = NO_USAGE, requestBytes } = answer;
  const estimated = estimateOutput(answer);
  const input = known.input || Math.ceil(requestBytes / BYTES_PER_TOKEN);
  const output = known.output * 2 >= estimated ? known.output : estimated;
  return { ...known, input, output, total: input + output };
}

/** The usage of an answer that generates nothing: its input. */
export function estimateInput({ requestBytes }: Pick<UncountedAnswer, 'requestBytes'>): TokenUsage {
  const input = Math.ceil(requestBytes / BYTES_PER_TOKEN);
  return { ...NO_USAGE, input, total: input };
}
