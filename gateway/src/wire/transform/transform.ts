import type { AppError } from '../../errors/index.ts';
import type { AnswerReport } from '../../usage/index.ts';

/** The stream format of a client. `events`: server-sent events in an unknown format. */
export type StreamProtocol = 'chat' | 'completion' | 'messages' | 'responses' | 'events';

/** Turns the bytes of an upstream stream into the bytes of the client's. One per stream. */
export interface ByteTransform {
  /** What can be sent now; undefined when nothing can. Throws AppError when the stream cannot be read any further and nothing is left to send. */
  push(bytes: Buffer): Buffer | string | undefined;
  /** Why the stream cannot be read any further, behind what `push` gave. */
  readonly broken?: AppError | undefined;
  /** The upstream ended properly: what is left to send. */
  end(): Buffer | string;
  /** The upstream broke: an error event in the client's format, after which the stream is closed. */
  fail(error: AppError): string;
  /** Usage and model that the stream reported, once it is over. */
  report(): AnswerReport;
  /** False: its text is no stream of events, in which a comment keeps a silent connection open. */
  readonly takesComments?: boolean;
  /** A part of the text that was written, which stands for the whole; empty: none. */
  sample?(): string;
}
