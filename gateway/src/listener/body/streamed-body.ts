import { Readable } from 'node:stream';
import { AppError } from '../../errors/index.ts';
import type { ByteAccount } from '../../lib/byte-budget.ts';
import type { StreamedBody } from '../../wire/contract.ts';
import { type ProgressRule, watchProgress } from './body-progress.ts';

export interface StreamedBodyOptions {
  readonly replayBytes: number;
  readonly bytes: number | undefined;
  readonly progress: ProgressRule;
  /** Accounts for what is kept for another try. */
  readonly memory: ByteAccount;
  /** Called before each read. */
  onPull?(): void;
  /** Gets each piece once, as it arrives. */
  onPiece?(bytes: Buffer): void;
}

export interface ArrivingBody extends StreamedBody {
  /** It has arrived to its end. */
  isWhole(): boolean;
  /** Waits until what has arrived is enough, or is more than so many bytes; what is read stays there for `open`. */
  peek(isEnough: () => boolean, maxBytes: number): Promise<void>;
}

/**
 * A request body that is forwarded while it arrives. What has been read is kept until it exceeds `replayBytes` or the memory
 * limit; from then on the body cannot be sent again.
 */
export function createStreamedBody(source: Readable, options: StreamedBodyOptions): ArrivingBody {
  const { memory } = options;
  const iterator = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>; // bytes: no encoding is set on requests
  let kept: Buffer[] = [];
  let keptBytes = 0;
  let dropped = 0;
  let ended = false;
  let overflowed = false;
  let readers = 0;
  let pulling: Promise<void> | undefined;

  const stalled = Promise.withResolvers<never>();
  stalled.promise.catch(() => undefined); // no unhandled rejection when no read is waiting
  const watch = watchProgress(options.progress, stalled.reject);

  const nextPiece = async (): Promise<IteratorResult<Buffer>> => {
    watch.wait();
    try {
      const arriving = iterator.next().catch((cause: unknown) => {
        throw new AppError('CLIENT_CLOSED', { cause }); // nothing else ends a request body early
      });
      const next = await Promise.race([arriving, stalled.promise]);
      watch.arrived(next.done === true ? 0 : next.value.length);
      return next;
    } finally {
      watch.stop();
    }
  };

  const pull = async (): Promise<void> => {
    options.onPull?.();
    const next = await nextPiece();
    pulling = undefined;
    ended = next.done === true;
    if (next.done === true) return;
    options.onPiece?.(next.value);
    kept.push(next.value);
    keptBytes += next.value.length;
    if (overflowed) return;
    overflowed = keptBytes > options.replayBytes || !memory.take(next.value.length);
    if (overflowed) memory.clear(); // what is kept is sent next and dropped
  };

  /** The piece at an index as soon as it has arrived; undefined behind the last one. */
  const pieceAt = async (at: number): Promise<Buffer | undefined> => {
    // Two readers may wait for the same bytes when a try was aborted: there is only one pull at a time.
    while (at - dropped >= kept.length && !ended) {
      pulling ??= pull();
      await pulling;
    }
    if (at < dropped) throw gone();
    return kept[at - dropped];
  };

  async function* read(reader: number): AsyncGenerator<Buffer> {
    for (let at = 0; ; at += 1) {
      const piece = await pieceAt(at);
      if (piece === undefined) return;
      if (overflowed && reader === readers) {
        // Only for the newest reader: one of an aborted try may still take the piece it waited for.
        kept = kept.slice(at - dropped + 1);
        dropped = at + 1;
      }
      yield piece;
    }
  }

  return {
    bytes: options.bytes,
    isWhole: () => ended,
    get replayable() {
      return !overflowed || readers === 0;
    },
    peek: async (isEnough, maxBytes) => {
      while (!ended && keptBytes < maxBytes && !isEnough()) {
        pulling ??= pull();
        await pulling;
      }
    },
    open: () => {
      if (overflowed && readers > 0) throw gone();
      readers += 1;
      return Readable.from(read(readers), { objectMode: false });
    },
  };
}

const gone = (): AppError => new AppError('INTERNAL', { cause: 'the body was too large to be sent again' });
