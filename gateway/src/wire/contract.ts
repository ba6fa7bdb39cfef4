/** Types common to all wire codecs: frames in, items out, and the facts a conversion may depend on. */

import type { Readable } from 'node:stream';

export type JsonObject = Readonly<Record<string, unknown>>;

/** A body that is sent on while it arrives, and kept for another try as long as it is small enough. */
export interface StreamedBody {
  /** The body from its first byte. Throws AppError when it is gone because it grew beyond the replay limit. */
  open(): Readable;
  /** Whether the next `open` will work. */
  readonly replayable: boolean;
  /** Its length when the client said so. */
  readonly bytes: number | undefined;
}

/** What the fields of a form say of the model, as far as they have arrived. */
export interface FormModel {
  /** Empty: none is named so far. */
  readonly model: string;
  /** The form has arrived to its end: it names no model later. */
  readonly isWhole?: boolean;
  /** What is said of generated images, by the names `n`, `size` and `quality`; undefined: nothing so far. */
  value?(name: string): string | undefined;
  /**
   * Reads on until a model is named, as far as the form can be sent again, and as far as a form may be held where its model is needed.
   * Rejects with AppError BODY_NOT_FORM or BODY_TOO_COMPLEX for a form that cannot be read, and MEMORY_EXHAUSTED.
   */
  find?(isNeeded: boolean): Promise<void>;
  /** The form is sent on: a model for which this says so comes too late, and is refused with MODEL_REQUIRED. */
  refuseLater?(isRefused: (model: string) => boolean): void;
  /**
   * The named model decides: from now on bytes are refused that cannot be read, and other fields that name a model. Throws what
   * `find` rejects with, and MODEL_NOT_ALLOWED. `isOther`: whether a field of that name may name one.
   */
  insist?(isOther: (name: string) => boolean): void;
}

/** A request body that is not JSON. */
export type Upload =
  | {
      readonly kind: 'form';
      readonly contentType: string;
      readonly boundary: string;
      readonly source: StreamedBody;
      readonly fields?: FormModel;
    }
  | { readonly kind: 'binary'; readonly contentType: string | undefined; readonly source: StreamedBody };

/** Facts of the call that a conversion may depend on. */
export interface WireContext {
  /** Id of the provider, put on transformed answers. */
  readonly provider: string;
  /** The requested model. */
  readonly model: string;
  /** False when the client accepts fields beyond the OpenAI format. */
  readonly strict: boolean;
  /** The client's body after parameter shaping. */
  readonly params: JsonObject;
  /** Unix time in ms. */
  now(): number;
  /** A fresh identifier: the prefix and `length` random letters and digits. */
  newId(prefix: string, length: number): string;
}

/** One event of an upstream stream. `event` is the SSE name or the AWS event type; data is the payload text. */
export interface Frame {
  readonly event: string | undefined;
  readonly data: string;
}

/** Unified token usage. Source: OpenAI usage object, with the cache members of the Anthropic API. */
export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly [extra: string]: unknown;
}

/** The error normal form without its provider member. */
export interface ErrorFields {
  readonly message: string;
  readonly type: string | null;
  readonly param: string | null;
  readonly code: string | null;
}

/** One item of a stream, in the client's format. */
export type StreamItem =
  /** A chunk (chat, completions) or an event (messages, responses: with its name) without usage bookkeeping. */
  | { readonly kind: 'chunk'; readonly data: object; readonly event?: string }
  /** The totals; chat and completions send them as their own chunk when the client requested it. The last item counts. */
  | { readonly kind: 'usage'; readonly usage: Usage }
  /** The provider reported an error inside the stream; nothing but the end follows. */
  | { readonly kind: 'error'; readonly error: ErrorFields };

/** Turns frames into items; one per stream, holds its state. Must accept any frame without throwing. */
export interface StreamDecoder {
  push(frame: Frame): readonly StreamItem[];
  /** The upstream ended properly. */
  end(): readonly StreamItem[];
}
