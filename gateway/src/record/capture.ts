/** Headers and bodies of a request that the request log keeps: docs/behaviour/request-logs.md#documents. */
import type { ByteAccount } from '../lib/byte-budget.ts';
import type { Scrubber } from '../lib/scrub.ts';

/** `failed`: of answers that are not good alone, and nothing of what was asked. */
export type BodiesKept = 'all' | 'failed';

/** A body, or its beginning. */
export interface KeptBody {
  readonly bytes: Buffer;
  /** The body was longer, or there was no room for it. */
  readonly truncated: boolean;
  /** JSON of what came of a stream. */
  readonly isAssembled?: true;
  /** The whole is known to be JSON: it was parsed, or was written as such. */
  readonly isJson?: boolean;
}

export interface CaptureOptions {
  readonly kept: BodiesKept;
  /** Of each body. */
  readonly maxBytes: number;
  /** Holds what is kept until the record is made. */
  readonly memory: Pick<ByteAccount, 'take'>;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** What went to a provider. */
export interface SentRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

export interface KeptRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: KeptBody | undefined;
}

export interface KeptAnswer {
  readonly headers: Headers;
  readonly body: KeptBody | undefined;
}

/** Of one request. Whoever makes its answer fills it in; a sink reads it once the record is made. */
export class Capture {
  readonly #options: CaptureOptions;
  #kept: BodiesKept;
  #isSealed = false;
  /** Of the client. */
  request: KeptBody | undefined;
  /** As the client gets it. */
  answer: KeptAnswer | undefined;

  constructor(options: CaptureOptions) {
    this.#options = options;
    this.#kept = options.kept;
  }

  get kept(): BodiesKept {
    return this.#kept;
  }

  /** Whether no body is kept, whatever comes of the request. */
  get isSealed(): boolean {
    return this.#isSealed;
  }

  /** Lets go of bodies that are kept, and keeps no further one. */
  seal(): void {
    this.#isSealed = true;
    this.#kept = 'failed';
    this.request = undefined;
  }

  get isWhole(): boolean {
    return this.kept === 'all';
  }

  /** Undefined: there is nothing to keep. `isJson`: where that is known. */
  keep(bytes: Buffer | undefined, isJson = false): KeptBody | undefined {
    if (bytes === undefined || bytes.length === 0 || this.#isSealed) return undefined;
    const { maxBytes, memory } = this.#options;
    return memory.take(Math.min(bytes.length, maxBytes)) ? this.cut(bytes, isJson) : NO_ROOM;
  }

  /** What may be kept of a body that the record is made of now. */
  cut(bytes: Buffer, isJson = false): KeptBody {
    const { maxBytes } = this.#options;
    if (bytes.length <= maxBytes) return { bytes, truncated: false, isJson };
    return { bytes: Buffer.from(bytes.subarray(0, maxBytes)), truncated: true }; // a copy: a view would hold the whole
  }

  get maxBytes(): number {
    return this.#options.maxBytes;
  }

  /** Counts bytes that are held for the record; false: there is no room for them. */
  take(bytes: number): boolean {
    return this.#options.memory.take(bytes);
  }

  /** Where the pieces of an answer go while they are sent. */
  openTape(): Tape {
    return new Tape(this.#options);
  }

  openAttempt(): CapturedAttempt {
    return new CapturedAttempt(this);
  }
}

const NO_ROOM: KeptBody = { bytes: Buffer.alloc(0), truncated: true };

/** The beginning of an answer that arrives in pieces. */
export class Tape {
  readonly #options: CaptureOptions;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #isCut = false;

  constructor(options: CaptureOptions) {
    this.#options = options;
  }

  push(piece: Buffer): void {
    if (this.#isCut) return;
    const { maxBytes, memory } = this.#options;
    const size = Math.min(piece.length, maxBytes - this.#bytes);
    this.#isCut = size < piece.length || !memory.take(size);
    if (size === 0 || (this.#isCut && size === piece.length)) return;
    this.#pieces.push(size === piece.length ? piece : Buffer.from(piece.subarray(0, size)));
    this.#bytes += size;
  }

  /** Undefined: nothing has come. */
  get body(): KeptBody | undefined {
    if (this.#bytes === 0 && !this.#isCut) return undefined;
    return { bytes: Buffer.concat(this.#pieces, this.#bytes), truncated: this.#isCut };
  }
}

/** Of one attempt; what is given twice is that of the last try. */
export class CapturedAttempt {
  readonly #capture: Capture;
  /** The parameters before they were mapped for the provider; undefined: those of the client. */
  params: object | undefined;
  sent: KeptRequest | undefined;
  /** As the provider sent it, where the client gets something else. */
  original: KeptBody | undefined;
  /** In the format of the client, where it is not the answer to the request. */
  answer: KeptAnswer | undefined;
  /** Takes the secrets of the target out of any text. */
  scrubber: (() => Scrubber) | undefined;
  /** Results of guardrails, as answers show them. */
  hooks: (() => object | undefined) | undefined;

  constructor(capture: Capture) {
    this.#capture = capture;
  }

  /** Lets go of what the request was made of, too. */
  seal(): void {
    this.#capture.seal();
    this.params = undefined;
  }

  sends({ headers, body }: SentRequest): void {
    this.original = undefined;
    if (this.#capture.isWhole) this.sent = { headers, body: this.#capture.keep(body) };
  }

  /** `status`: of the provider. */
  gets(status: number, bytes: Buffer): void {
    if (this.#capture.isWhole || !isGood(status)) this.original = this.#capture.keep(bytes);
  }

  answers({
    status,
    headers,
    bytes,
  }: {
    readonly status: number;
    readonly headers: Headers;
    readonly bytes: Buffer;
  }): void {
    if (this.#capture.isWhole || !isGood(status)) this.answer = { headers, body: this.#capture.keep(bytes) };
  }
}

export const isGood = (status: number): boolean => status >= 200 && status <= 299;
