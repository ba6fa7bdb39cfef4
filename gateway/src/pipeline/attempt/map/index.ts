/** From a provider's answer to the client's format. */
import { memoryExhausted } from '../../../errors/index.ts';
import type { ByteAccount } from '../../../lib/byte-budget.ts';
import type { JsonLimits } from '../../../lib/json/index.ts';
import { type AnsweredCall, clientAnswer, failedAnswer, type MappedAnswer } from './client-answer.ts';
import { decodeAnswer, isEncoded, type UnaryAnswer } from './unpack.ts';

export { isEventStream } from './answer.ts';
export { type AnsweredCall, type MappedAnswer, streamAnswer } from './client-answer.ts';
export { decodeAnswer, isEncoded, READABLE_ENCODINGS, type UnaryAnswer } from './unpack.ts';

export interface MapLimits {
  readonly maxResponseBytes: number;
  readonly json: JsonLimits;
  /** Holds the bytes of the answer. */
  readonly memory: ByteAccount;
}

/**
 * A whole answer: a good one in the client's format, an error in the normal form, without the credentials it repeats.
 * Rejects with UPSTREAM_INVALID_RESPONSE, UPSTREAM_TOO_LARGE or MEMORY_EXHAUSTED.
 */
export async function unaryAnswer(
  answered: AnsweredCall,
  given: UnaryAnswer,
  { maxResponseBytes, json, memory }: MapLimits,
): Promise<MappedAnswer> {
  const isGood = given.status >= 200 && given.status <= 299;
  const asItIs = answered.call.endpoint === 'proxy' && isGood;
  const answer =
    !asItIs && isEncoded(given) ? await decodeAnswer(given, { maxBytes: maxResponseBytes, memory }) : given;
  const { headers, bytes } = isGood ? clientAnswer(answered, { ...answer, json }) : failedAnswer(answered, answer);
  if (bytes !== answer.bytes) {
    memory.give(answer.bytes.length);
    if (!memory.take(bytes.length)) throw memoryExhausted();
  }
  return { status: answer.status, headers, body: { kind: 'bytes', bytes }, stream: false };
}
