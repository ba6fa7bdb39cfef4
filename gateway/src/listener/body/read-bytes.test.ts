import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createByteBudget } from '../../lib/byte-budget.ts';
import { LARGE_BYTES, readBytes } from './read-bytes.ts';

/** A request whose body arrives in pieces of that size; without `isAnnounced`, in chunks. */
function request(body: Buffer, { pieceBytes, isAnnounced }: { pieceBytes: number; isAnnounced: boolean }) {
  const stream = new PassThrough();
  for (let at = 0; at < body.length; at += pieceBytes) stream.write(Buffer.from(body.subarray(at, at + pieceBytes)));
  stream.end();
  const headers = isAnnounced ? { 'content-length': String(body.length) } : {};
  return Object.assign(stream, { headers, complete: true }) as unknown as IncomingMessage; // what is looked at
}

/** A request over HTTP/2 that has sent what it announced, and not its end. */
function endless(body: Buffer): IncomingMessage {
  const stream = new PassThrough();
  stream.write(Buffer.from(body));
  const headers = { 'content-length': String(body.length) };
  return Object.assign(stream, { headers, complete: false, httpVersionMajor: 2 }) as unknown as IncomingMessage; // as above
}

const bodyOf = (bytes: number): Buffer => Buffer.from(Array.from({ length: bytes }, (_, at) => at % 251));

describe('a body that is read whole', () => {
  test.for([
    { bytes: 0, pieceBytes: 1, isAnnounced: true },
    { bytes: 100, pieceBytes: 100, isAnnounced: true },
    { bytes: 100, pieceBytes: 7, isAnnounced: true },
    { bytes: 100, pieceBytes: 7, isAnnounced: false },
    { bytes: 3 * LARGE_BYTES + 1, pieceBytes: 10_000, isAnnounced: true },
    { bytes: 3 * LARGE_BYTES + 1, pieceBytes: 10_000, isAnnounced: false },
  ])('is what was sent, twice in a row: $bytes bytes by $pieceBytes, announced: $isAnnounced', async (given) => {
    const body = bodyOf(given.bytes);
    const memory = createByteBudget(10 * LARGE_BYTES).open();
    const progress = { idleMs: 60_000, minBytesPerSecond: 1 };
    for (let time = 0; time < 2; time += 1) {
      const read = await readBytes(request(body, given), { maxBytes: given.bytes, progress, memory });
      expect(read.equals(body)).toBe(true);
      memory.clear();
    }
  });

  test('stalls over HTTP/2 when its end does not come, although all its bytes have', async () => {
    const memory = createByteBudget(LARGE_BYTES).open();
    const progress = { idleMs: 50, minBytesPerSecond: 1 };
    const read = readBytes(endless(bodyOf(100)), { maxBytes: 100, progress, memory });
    await expect(read).rejects.toMatchObject({ code: 'BODY_STALLED' });
  });
});
