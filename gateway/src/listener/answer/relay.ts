/** Sends a stream to the client while it arrives. */
import type { ServerResponse } from 'node:http';
import { AppError } from '../../errors/index.ts';
import type { Answer, AnswerBody, CacheWriter } from '../../pipeline/index.ts';
import type { SentFacts } from '../../record/index.ts';
import type { BodySink, UpstreamBody } from '../../upstream/index.ts';
import type { ByteTransform } from '../../wire/transform/index.ts';
import type { RespondOptions } from './respond.ts';
import { StreamWriter } from './stream-writer.ts';

type StreamBody = Extract<AnswerBody, { kind: 'stream' }>;

const KEEP_ALIVE = Buffer.from(': keep-alive\n\n');
const LF = 0x0a;
const CR = 0x0d;

/** Resolves once the last byte is handed to the socket or the client is gone. The head of the response has been written. */
export function relay(
  response: ServerResponse,
  body: StreamBody,
  options: RespondOptions & Pick<Answer, 'store'>,
): Promise<SentFacts> {
  return new Promise((resolve) => {
    body.upstream.pipe(new Relay(response, body, { ...options, resolve }));
  });
}

interface RelayOptions extends RespondOptions, Pick<Answer, 'store'> {
  resolve(sent: SentFacts): void;
}

class Relay implements BodySink {
  readonly #response: ServerResponse;
  readonly #upstream: UpstreamBody;
  readonly #transform: ByteTransform | undefined;
  readonly #observer: StreamBody['observer'];
  readonly #store: CacheWriter | undefined;
  readonly #writer: StreamWriter;
  readonly #options: RelayOptions;
  readonly #firstByteMs = performance.now();
  /** Sends comments into a stream that is silent. */
  readonly #timer: NodeJS.Timeout | undefined;
  #atBoundary = true;
  #written = 0;

  constructor(response: ServerResponse, { upstream, transform, observer }: StreamBody, options: RelayOptions) {
    this.#response = response;
    this.#upstream = upstream;
    this.#transform = transform;
    this.#observer = observer;
    this.#store = options.store;
    this.#options = options;
    this.#writer = new StreamWriter(response, { batch: options.batch, onReady: () => upstream.resume() });
    const { keepAliveMs, signal } = options;
    if (transform !== undefined && transform.takesComments !== false && keepAliveMs > 0)
      this.#timer = setInterval(this.#comment, keepAliveMs);
    signal.onCancel(this.#onCancel);
  }

  write(bytes: Buffer): boolean {
    if (this.#transform === undefined) {
      this.#observer?.push(bytes);
      return this.#send(bytes);
    }
    try {
      const wantsMore = this.#send(this.#transform.push(bytes));
      if (this.#transform.broken !== undefined) this.#upstream.cancel(this.#transform.broken);
      return wantsMore;
    } catch (error) {
      this.#upstream.cancel(toAbort(error));
      return true;
    }
  }

  end(): void {
    try {
      this.#send(this.#transform?.end());
    } catch (error) {
      this.fail(toAbort(error));
      return;
    }
    this.#writer.end();
    this.#store?.commit();
    this.#done(undefined);
  }

  fail(error: AppError): void {
    const event = attempted(() => this.#transform?.fail(error));
    // Without a format for errors, a cut connection shows that the answer is not whole.
    if (event === undefined) this.#writer.cut();
    else {
      this.#writer.write(Buffer.from(event));
      this.#writer.end();
    }
    this.#done(error);
  }

  #send(piece: Buffer | string | undefined): boolean {
    if (piece === undefined || piece.length === 0) return true;
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    if (this.#timer !== undefined) {
      this.#atBoundary = endsEvent(bytes);
      this.#timer.refresh();
    }
    this.#store?.push(bytes);
    this.#written += bytes.length;
    return this.#writer.write(bytes);
  }

  readonly #comment = (): void => {
    if (this.#atBoundary && !this.#response.writableNeedDrain) this.#writer.write(KEEP_ALIVE);
  };

  readonly #onCancel = (): void => this.#upstream.cancel(toAbort(this.#options.signal.reason));

  #done(error: AppError | undefined): void {
    clearInterval(this.#timer);
    this.#options.signal.offCancel(this.#onCancel);
    this.#options.resolve({ firstByteMs: this.#firstByteMs, bytes: this.#written, error });
  }
}

/** The result, or undefined when a broken transform throws again: the answer has to end in any case. */
function attempted<T>(task: () => T): T | undefined {
  try {
    return task();
  } catch {
    return undefined;
  }
}

const toAbort = (reason: unknown): AppError =>
  reason instanceof AppError ? reason : new AppError('UPSTREAM_STREAM_BROKEN', { cause: reason });

/** Whether a comment may follow: between events, never inside one. */
function endsEvent(bytes: Buffer): boolean {
  if (bytes.at(-1) !== LF) return false;
  return bytes.at(-2) === LF || (bytes.at(-2) === CR && bytes.at(-3) === LF && bytes.at(-4) === CR);
}
