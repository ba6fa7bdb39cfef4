/** Writes an answer to the client: whole, or while it arrives with backpressure; behaviour-streaming 8.2. */
import type { ServerResponse } from 'node:http';
import { AppError } from '../errors/index.ts';
import type { Answer, AnswerBody } from '../pipeline/index.ts';
import { findTokenCounts, type TokenCounts } from '../wire/usage/index.ts';

/** How the sending went. */
export interface Sent {
  /** `performance.now()` when the first byte of the answer was written. */
  readonly firstByteMs: number;
  /** What ended the answer early, if anything did. */
  readonly error: AppError | undefined;
  readonly tokens: TokenCounts | undefined;
}

export interface RespondOptions {
  /** The request's signal: aborted when the client is gone. */
  readonly signal: AbortSignal;
  /** Comments are sent into event streams silent for so long; 0: never. */
  readonly keepAliveMs: number;
}

/** Bytes at the end of a unary answer that are looked at for its usage. */
const USAGE_TAIL_BYTES = 16 * 1024;
const KEEP_ALIVE = ': keep-alive\n\n';

/** Resolves once the last byte is handed to the socket or the client is gone. Never rejects. */
export function respond(response: ServerResponse, answer: Answer, options: RespondOptions): Promise<Sent> {
  const { body, headers, status } = answer;
  const firstByteMs = performance.now();
  if (body.kind === 'bytes') {
    if (status !== 204 && status !== 304) headers['content-length'] = String(body.bytes.length); // RFC 9110 section 8.6
    response.writeHead(status, headers);
    response.end(body.bytes);
    answer.facts.store?.push(body.bytes);
    answer.facts.store?.commit();
    return Promise.resolve({ firstByteMs, error: answer.facts.error, tokens: tokensOf(answer, body.bytes) });
  }
  response.writeHead(status, headers);
  return relay(response, body, { ...options, answer, firstByteMs });
}

function tokensOf({ status, facts }: Answer, bytes: Buffer): TokenCounts | undefined {
  if (status !== 200 || facts.cacheStatus === 'HIT' || facts.provider === undefined) return undefined;
  return findTokenCounts(bytes.subarray(-USAGE_TAIL_BYTES).toString('latin1'));
}

interface RelayOptions extends RespondOptions {
  readonly answer: Answer;
  readonly firstByteMs: number;
}

type StreamBody = Extract<AnswerBody, { kind: 'stream' }>;

function relay(response: ServerResponse, { upstream, transform }: StreamBody, options: RelayOptions): Promise<Sent> {
  const { firstByteMs, signal, keepAliveMs } = options;
  const { store } = options.answer.facts;
  return new Promise((resolve) => {
    let atBoundary = true;
    const timer = transform === undefined || keepAliveMs === 0 ? undefined : setInterval(comment, keepAliveMs);
    const onDrain = (): void => upstream.resume();

    const done = (error: AppError | undefined): void => {
      clearInterval(timer);
      signal.removeEventListener('abort', onAbort);
      response.off('drain', onDrain);
      resolve({ firstByteMs, error, tokens: transform?.tokens() });
    };
    const send = (piece: Buffer | string | undefined): boolean => {
      if (piece === undefined || piece.length === 0) return true;
      atBoundary = endsEvent(piece);
      timer?.refresh();
      store?.push(typeof piece === 'string' ? Buffer.from(piece) : piece);
      return response.write(piece);
    };
    function comment(): void {
      if (atBoundary && !response.writableNeedDrain) response.write(KEEP_ALIVE);
    }
    const fail = (error: AppError): void => {
      if (transform === undefined)
        response.destroy(); // a cut connection is the only way to say it
      else response.end(transform.fail(error));
      done(error);
    };
    const onAbort = (): void => upstream.cancel(toAbort(signal.reason));

    signal.addEventListener('abort', onAbort, { once: true });
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
        response.end();
        store?.commit();
        done(undefined);
      },
      fail,
    });
  });
}

const toAbort = (reason: unknown): AppError =>
  reason instanceof AppError ? reason : new AppError('UPSTREAM_STREAM_BROKEN', { cause: reason });

/** Whether a comment may follow: between events, never inside one. */
function endsEvent(piece: Buffer | string): boolean {
  const end = typeof piece === 'string' ? piece.slice(-4) : piece.subarray(-4).toString('latin1');
  return end.endsWith('\n\n') || end === '\r\n\r\n';
}
