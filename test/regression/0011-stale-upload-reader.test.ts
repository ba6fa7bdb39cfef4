/** A try that was aborted dropped pieces of the upload which the next try had not sent yet: the body arrived cut. */
import { PassThrough, type Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { createByteBudget } from '../../gateway/src/lib/byte-budget.ts';
import { createStreamedBody } from '../../gateway/src/listener/body/streamed-body.ts';

const OPTIONS = {
  replayBytes: 25,
  bytes: undefined,
  progress: { idleMs: 0, minBytesPerSecond: 0 },
  memory: createByteBudget(1_000).open(),
};

test('the try after one that was aborted sends the whole body', async () => {
  const source = new PassThrough();
  const body = createStreamedBody(source, OPTIONS);
  source.write(Buffer.alloc(10, 'a'));
  const first = (body.open() as Readable)[Symbol.asyncIterator]();
  await first.next();
  void first.next().catch(() => undefined); // waits for more, and is aborted
  const second = (body.open() as Readable)[Symbol.asyncIterator]();
  source.write(Buffer.alloc(10, 'b'));
  source.end(Buffer.alloc(10, 'c')); // beyond what is kept
  const pieces: Buffer[] = [];
  for (let next = await second.next(); next.done !== true; next = await second.next()) pieces.push(next.value);
  expect(Buffer.concat(pieces).toString()).toBe('a'.repeat(10) + 'b'.repeat(10) + 'c'.repeat(10));
});

test('an upload that the client breaks off is no failure of the provider', async () => {
  const source = new PassThrough();
  const body = createStreamedBody(source, OPTIONS);
  const reading = (body.open() as Readable)[Symbol.asyncIterator]().next();
  source.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
  await expect(reading).rejects.toMatchObject({ code: 'CLIENT_CLOSED' });
});
