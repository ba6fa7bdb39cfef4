/** From a provider's answer to the client's format. */
import { memoryExhausted } from '../../../errors/index.ts';
import type { ByteAccount } from '../../../lib/byte-budget.ts';
import { type CapturedAttempt, countWhole } from '../../../record/index.ts';
import { bytesOf, type Exchange, type RequestBody } from '../../exchange.ts';
import type { ProviderAnswer, SendPort } from '../send/index.ts';
import { type AnsweredCall, failedAnswer, type MappedAnswer, streamAnswer } from './client-answer.ts';
import { decodeAnswer, isEncoded, type UnaryAnswer } from './unpack.ts';

export type { MappedAnswer } from './client-answer.ts';
export { isEventStream, isJson, isServerSent } from './media-types.ts';
export { passedHeaders, relayedHeaders } from './passed-headers.ts';
export { scrubberOf } from './scrub.ts';
export { decodeAnswer, isEncoded, READABLE_ENCODINGS, type UnaryAnswer } from './unpack.ts';

type Limits = Pick<SendPort, 'maxResponseBytes' | 'json'>;
type Answered = AnsweredCall & {
  readonly captured?: Pick<CapturedAttempt, 'gets'> | undefined;
  readonly input: {
    readonly exchange: Pick<Exchange, 'memory'>;
    readonly resolution: { readonly body: RequestBody };
  };
};

/**
 * A good answer in the client's format, an error in its normal form, without the credentials that it repeats. The memory of
 * the request holds the result. Throws UPSTREAM_INVALID_RESPONSE, UPSTREAM_TOO_LARGE or MEMORY_EXHAUSTED.
 */
export function map(limits: Limits, answered: Answered, sent: ProviderAnswer): MappedAnswer | Promise<MappedAnswer> {
  if (sent.kind === 'stream') return streamAnswer(answered, sent.response);
  if (!isEncoded(sent)) return mapWhole(limits, answered, sent);
  const { memory } = answered.input.exchange;
  return decodeAnswer(sent, { maxBytes: limits.maxResponseBytes, memory }).then((answer) =>
    mapWhole(limits, answered, answer),
  );
}

const isGood = ({ status }: UnaryAnswer): boolean => status >= 200 && status <= 299;

function mapWhole({ json }: Limits, answered: Answered, answer: UnaryAnswer): MappedAnswer {
  const { resolution, exchange } = answered.input;
  const { memory } = exchange;
  const { headers, bytes, counted } = isGood(answer)
    ? answered.operation.handler.mapAnswer(answered, answer, json)
    : failedAnswer(answered, answer);
  if (bytes !== answer.bytes) {
    answered.captured?.gets(answer.status, answer.bytes);
    memory.give(answer.bytes.length);
    if (!memory.take(bytes.length)) throw memoryExhausted();
  }
  const mapped: MappedAnswer = { status: answer.status, headers, body: { kind: 'bytes', bytes }, stream: false };
  if (counted === undefined) return mapped;
  const requestBytes = bytesOf(resolution.body) ?? 0;
  return { ...mapped, counted: countWhole(answered.operation, requestBytes, { kind: 'bytes', bytes: counted }) };
}

/** Gives back what an answer holds that does not count. */
export function release({ body }: MappedAnswer, memory: ByteAccount): void {
  if (body.kind === 'bytes') memory.give(body.bytes.length);
  else {
    memory.give(body.held ?? 0);
    body.upstream.discard();
  }
}
