/** Bodies of answers as pieces that are asked for one by one, and back. */
import { Readable } from 'node:stream';
import { AppError } from '../errors/index.ts';
import { BodyRelay } from './body-relay.ts';
import type { UpstreamBody } from './port.ts';

/** The body while it arrives: the upstream waits for who reads. It is stopped where reading ends early. */
export function piecesOf(body: UpstreamBody): AsyncIterable<Buffer> {
  const stream = new Readable({
    read: () => body.resume(),
    destroy: (error, done) => {
      body.discard();
      done(error);
    },
  });
  let isPiped = false;
  return {
    [Symbol.asyncIterator]: () => {
      if (!isPiped) {
        isPiped = true;
        body.pipe({
          write: (bytes) => stream.push(bytes),
          end: () => void stream.push(null),
          fail: (error) => stream.destroy(error),
        });
      }
      return stream[Symbol.asyncIterator]();
    },
  };
}

/**
 * Pieces as the body of an answer. What they throw breaks it. `stop` ends what they are made of, when the body is given up: a generator
 * that waits for its next piece would end with that one.
 */
export function bodyOf(pieces: AsyncIterable<Buffer>, stop: () => void): UpstreamBody {
  const source = Readable.from(pieces, { objectMode: false });
  const relay: BodyRelay = new BodyRelay({
    pause: () => source.pause(),
    resume: () => source.resume(),
    abort: () => {
      stop();
      source.destroy();
    },
  });
  source.on('data', (piece: Buffer) => relay.push(piece));
  source.on('end', () => relay.finish());
  source.on('error', (error) => relay.break(error));
  source.on('close', () => relay.break(new AppError('CLIENT_CLOSED')));
  return relay;
}
