/** Writes an answer to the client: whole, or while it arrives with backpressure. */
import type { ServerResponse } from 'node:http';
import { AppError } from '../../errors/index.ts';
import type { CancelSignal } from '../../lib/cancellation.ts';
import type { Answer, AnswerBody } from '../../pipeline/index.ts';
import type { SentFacts } from '../../record/index.ts';
import type { BatchWrite } from './write-batch.ts';

export interface RespondOptions {
  /** Joins the writes of many requests in one turn of the event loop. */
  readonly batch: BatchWrite;
  /** The request's signal: cancelled when the client is gone. */
  readonly signal: CancelSignal;
  /** Comments are sent into event streams silent for so long; 0: never. */
  readonly keepAliveMs: number;
}

const KEEP_ALIVE = Buffer.from(': keep-alive\n\n');

/** Resolves once the last byte is handed to the socket or the client is gone. Rejects when a header cannot be written. */
export async function respond(response: ServerResponse, answer: Answer, options: RespondOptions): Promise<SentFacts> {
  const { body, headers, status, store } = answer;
  if (body.kind === 'stream') {
    const firstByteMs = performance.now();
    response.writeHead(status, headers);
    return relay(response, body, { ...options, answer, firstByteMs });
  }
  if (status !== 204 && status !== 304) headers['content-length'] = String(body.bytes.length); // RFC 9110 section 8.6
  response.writeHead(status, headers);
  const firstByteMs = await new Promise<number>((resolve) => {
    options.batch(() => {
      resolve(performance.now());
      response.end(body.bytes);
    });
  });
  store?.push(body.bytes);
  store?.commit();
  return { firstByteMs, bytes: body.bytes.length, error: undefined };
}

interface RelayOptions extends RespondOptions {
  readonly answer: Answer;
  readonly firstByteMs: number;
}

type StreamBody = Extract<AnswerBody, { kind: 'stream' }>;

function relay(
  response: ServerResponse,
  { upstream, transform }: StreamBody,
  options: RelayOptions,
): Promise<SentFacts> {
  const { firstByteMs, signal, keepAliveMs, batch } = options;
  const { store } = options.answer;
  return new Promise((resolve) => {
    let atBoundary = true;
    let written = 0;
    const timer = transform === undefined || keepAliveMs === 0 ? undefined : setInterval(comment, keepAliveMs);
    const writer = createWriter(response, batch);
    const onDrain = (): void => upstream.resume();

    const done = (error: AppError | undefined): void => {
      clearInterval(timer);
      signal.offCancel(onCancel);
      response.off('drain', onDrain);
      resolve({ firstByteMs, bytes: written, error });
    };
    const send = (piece: Buffer | string | undefined): boolean => {
      if (piece === undefined || piece.length === 0) return true;
      const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
      if (timer !== undefined) {
        atBoundary = endsEvent(bytes);
        timer.refresh();
      }
      store?.push(bytes);
      written += bytes.length;
      return writer.write(bytes);
    };
    function comment(): void {
      if (atBoundary && !response.writableNeedDrain) writer.write(KEEP_ALIVE);
    }
    const fail = (error: AppError): void => {
      const event = attempted(() => transform?.fail(error));
      writer.flush();
      if (event === undefined)
        response.destroy(); // without a format for errors, a cut connection shows that the answer is not whole
      else response.end(event);
      done(error);
    };
    const onCancel = (): void => upstream.cancel(toAbort(signal.reason));

    signal.onCancel(onCancel);
    response.on('drain', onDrain);
    upstream.pipe({
      write: (bytes) => {
        if (transform === undefined) return send(bytes);
        try {
          return send(transform.push(bytes));
        } catch (error) {
          upstream.cancel(toAbort(error));
          return true;
        }
      },
      end: () => {
        try {
          send(transform?.end());
        } catch (error) {
          fail(toAbort(error));
          return;
        }
        writer.flush();
        response.end();
        store?.commit();
        done(undefined);
      },
      fail,
    });
  });
}

/** Writes the pieces of one turn together. `write` returns false while the client is behind, until `drain`. */
function createWriter(response: ServerResponse, batch: BatchWrite): { write(bytes: Buffer): boolean; flush(): void } {
  let waiting: Buffer[] = [];
  const flush = (): void => {
    const [first] = waiting;
    if (first === undefined) return;
    response.write(waiting.length === 1 ? first : Buffer.concat(waiting));
    waiting = [];
  };
  return {
    write: (bytes) => {
      if (waiting.push(bytes) === 1) batch(flush);
      return !response.writableNeedDrain;
    },
    flush,
  };
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
  const end = bytes.subarray(-4).toString('latin1');
  return end.endsWith('\n\n') || end === '\r\n\r\n';
}
