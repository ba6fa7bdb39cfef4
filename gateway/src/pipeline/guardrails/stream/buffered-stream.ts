/** A stream that is held until its guardrails have decided: docs/behaviour/streams.md. */
import { createAssembler } from '../../../cache/index.ts';
import { AppError, memoryExhausted, toAppError } from '../../../errors/index.ts';
import { EventSplitter, formatOf, readTexts, type TextProtocol } from '../../../guardrails/stream/index.ts';
import type { ByteAccount } from '../../../lib/byte-budget.ts';
import { BodyRelay } from '../../../upstream/index.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import type { AnswerBody } from '../../exchange.ts';
import { clientTransform } from './client-stream.ts';
import { MAX_ASSEMBLED_CHARS } from './guarded-stream.ts';
import { answerOf } from './text-answer.ts';

type StreamBody = Extract<AnswerBody, { kind: 'stream' }>;

export interface BufferOptions {
  readonly protocol: TextProtocol;
  /** Holds the events; the caller gives them back. */
  readonly memory: ByteAccount;
  /** Bytes of the client's events. */
  readonly maxBytes: number;
}

export interface BufferedStream {
  /** The events, as the client would have got them. */
  readonly bytes: Buffer;
  /** What they say: the whole answer, or only its texts where it is not complete. */
  readonly answer: JsonObject;
}

/** Reads a stream to its end. Rejects with UPSTREAM_TOO_LARGE, MEMORY_EXHAUSTED, or with what broke the stream. */
export function bufferStream(
  { upstream, transform }: StreamBody,
  { protocol, memory, maxBytes }: BufferOptions,
): Promise<BufferedStream> {
  return new Promise((resolve, reject) => {
    const assembler = createAssembler(protocol, MAX_ASSEMBLED_CHARS);
    const pieces: Buffer[] = [];
    let held = 0;
    const keep = (piece: Buffer | string | undefined): void => {
      if (piece === undefined || piece.length === 0) return;
      const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
      if (held + bytes.length > maxBytes) {
        throw new AppError('UPSTREAM_TOO_LARGE', { detail: `The stream is larger than ${maxBytes} bytes` });
      }
      if (!memory.take(bytes.length)) throw memoryExhausted();
      held += bytes.length;
      assembler.push(bytes);
      pieces.push(bytes);
    };
    const fail = (error: AppError): void => {
      memory.give(held);
      reject(error);
    };
    upstream.pipe({
      write: (bytes) => {
        try {
          keep(transform === undefined ? bytes : transform.push(bytes));
          if (transform?.broken !== undefined) throw transform.broken;
        } catch (error) {
          upstream.cancel(toAppError(error));
        }
        return true;
      },
      end: () => {
        try {
          keep(transform?.end());
          const bytes = Buffer.concat(pieces);
          resolve({ bytes, answer: { ...(assembler.finish() ?? answerOf(protocol, textsIn(protocol, bytes))) } });
        } catch (error) {
          fail(toAppError(error));
        }
      },
      fail,
    });
  });
}

/** The texts of events, part by part. */
function textsIn(protocol: TextProtocol, bytes: Buffer): readonly string[] {
  const splitter = new EventSplitter();
  const format = formatOf(protocol);
  const parts = new Map<string, string>();
  for (const event of [...splitter.push(bytes), ...splitter.end()]) {
    for (const { part, use, isWhole, text } of readTexts(format, event).slots) {
      if (use !== 'checked' || (isWhole && parts.has(part))) continue;
      parts.set(part, (parts.get(part) ?? '') + text);
    }
  }
  return [...parts.values()];
}

/** The stream with other events, or the same, once it may be sent; its usage is that of the stream that was read. */
export function releasedStream(
  { transform }: StreamBody,
  protocol: TextProtocol,
  bytes: readonly Buffer[],
): StreamBody {
  if (transform === undefined) throw new Error('a stream without a format has no texts to check');
  const upstream = new BodyRelay({ pause: () => undefined, resume: () => undefined, abort: () => undefined });
  for (const piece of bytes) upstream.push(piece);
  upstream.finish();
  return { kind: 'stream', upstream, transform: clientTransform(protocol, transform) };
}
