import { toJson } from './answer-size.ts';

/** One event of a stream. `token`: a piece of the answer; `end`: the event that completes it. */
export interface Frame {
  readonly bytes: string | Buffer;
  readonly kind: 'event' | 'token' | 'end';
  /** Where `bytes` are a binary envelope with checksums: what is inside, and how another payload gets into it. */
  readonly envelope?: { readonly payload: string; readonly encode: (payload: string | Buffer) => Buffer };
}

export interface WholeReply {
  readonly kind: 'whole';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

export interface StreamReply {
  readonly kind: 'stream';
  readonly headers: Readonly<Record<string, string>>;
  readonly frames: readonly Frame[];
  /** The event with which this kind of stream reports an error after so many events. */
  readonly errorFrame: (refusal: Refusal, position: number) => Frame;
}

/** An error, rendered by the dialect of the path. */
export interface Refusal {
  readonly kind: 'refusal';
  readonly status: number;
  readonly message: string;
  readonly param?: string;
  readonly code?: string;
}

export type Reply = WholeReply | StreamReply | Refusal;

export function json(body: unknown, headers: Readonly<Record<string, string>> = {}): WholeReply {
  return bytes(toJson(body), 'application/json', headers);
}

export function bytes(
  body: string | Buffer,
  contentType: string,
  headers: Readonly<Record<string, string>> = {},
): WholeReply {
  return { kind: 'whole', status: 200, headers: { 'content-type': contentType, ...headers }, body };
}

export function refuse(status: number, message: string, more: { param?: string; code?: string } = {}): Refusal {
  return { kind: 'refusal', status, message, ...more };
}
