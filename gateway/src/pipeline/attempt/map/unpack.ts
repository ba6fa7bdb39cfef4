/** Answers that a provider compressed. */
import { AppError, memoryExhausted } from '../../../errors/index.ts';
import { isPacked, type UnpackLimits, type UnpackProblem, unpack as unpackBytes } from '../../../lib/unpack.ts';
import type { UpstreamHeaders, UpstreamResponse } from '../../../upstream/index.ts';

export interface UnaryAnswer {
  readonly status: number;
  readonly headers: UpstreamHeaders;
  readonly bytes: Buffer;
}

/** Rejects with UPSTREAM_INVALID_RESPONSE, UPSTREAM_TOO_LARGE or MEMORY_EXHAUSTED. */
export async function unpack(bytes: Buffer, encoding: string, limits: UnpackLimits): Promise<Buffer> {
  const unpacked = await unpackBytes(bytes, encoding, limits);
  if (!unpacked.ok) throw refusal(unpacked.error, limits);
  limits.memory.give(bytes.length);
  return unpacked.value;
}

function refusal(problem: UnpackProblem, { maxBytes }: UnpackLimits): AppError {
  switch (problem.kind) {
    case 'unknown-encoding':
      return new AppError('UPSTREAM_INVALID_RESPONSE', { detail: 'The provider used an unknown encoding' });
    case 'broken':
      return new AppError('UPSTREAM_INVALID_RESPONSE', {
        detail: 'The provider sent a body that cannot be decoded',
        cause: problem.cause,
      });
    case 'too-large':
      return new AppError('UPSTREAM_TOO_LARGE', { detail: `The unpacked answer is larger than ${maxBytes} bytes` });
    case 'no-memory':
      return memoryExhausted();
  }
}

/** Encodings that a request may accept. */
export const READABLE_ENCODINGS: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'deflate', 'identity']);

/** Whether the body is compressed. */
export function isEncoded({ headers }: Pick<UpstreamResponse, 'headers'>): boolean {
  const encoding = headers['content-encoding'];
  return typeof encoding === 'string' && isPacked(encoding);
}

/** The answer with a body that is not compressed, also where compression was not asked for. */
export async function decodeAnswer(answer: UnaryAnswer, limits: UnpackLimits): Promise<UnaryAnswer> {
  const encoding = answer.headers['content-encoding'];
  if (typeof encoding !== 'string' || !isEncoded(answer) || answer.bytes.length === 0) return answer;
  const { 'content-encoding': _, ...headers } = answer.headers;
  return { ...answer, headers, bytes: await unpack(answer.bytes, encoding, limits) };
}
