import type { AppError } from '../../errors/index.ts';
import type { AnswerReport } from '../../usage/index.ts';

/** Whose stream format a client reads. `events`: server-sent events we know nothing more about. */
export type StreamProtocol = 'chat' | 'completion' | 'messages' | 'responses' | 'events';

/** Turns the bytes of an upstream stream into the bytes of the client's. One per stream. */
export interface ByteTransform {
  /** What can be sent now; undefined when nothing can. Throws AppError when the stream cannot be read any further. */
  push(bytes: Buffer): Buffer | string | undefined;
  /** The upstream ended properly: what is left to send. */
  end(): Buffer | string;
  /** The upstream broke: the last words in the client's format, after which the stream is closed. */
  fail(error: AppError): string;
  /** What the stream reported, once it is over. */
  report(): AnswerReport;
}
