/** Answers and errors of calls for files and batches. */
import type { Readable } from 'node:stream';
import { AppError } from '../../errors/index.ts';
import { StoreFailure } from '../../object-storage/index.ts';
import type { LocalAnswer } from '../../pipeline/index.ts';
import { BodyRelay } from '../../upstream/index.ts';

export const jsonAnswer = (value: object): LocalAnswer => ({
  headers: { 'content-type': 'application/json' },
  bytes: Buffer.from(JSON.stringify(value)),
});

/** The bytes while they are read. */
export function streamAnswer(source: Readable, { bytes }: { readonly bytes: number }): LocalAnswer {
  const stream: BodyRelay = new BodyRelay({
    pause: () => source.pause(),
    resume: () => source.resume(),
    abort: (reason) => source.destroy(reason),
  });
  source.on('data', (piece: Buffer) => stream.push(piece));
  source.on('end', () => stream.finish());
  source.on('error', (error) => stream.break(error));
  const headers = { 'content-type': 'application/octet-stream', 'content-length': String(bytes) };
  return { headers, stream };
}

export const invalid = (param: string, rule: string): AppError =>
  new AppError('PARAMETER_INVALID', { param, detail: `${param} ${rule}` });

/** Errors of stores are the gateway's own; their causes go into the log alone. */
export async function withStores<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error;
    throw new AppError('BATCH_STORE_UNAVAILABLE', { cause: error, retryAfterMs: RETRY_AFTER_MS });
  }
}

const RETRY_AFTER_MS = 5_000;
