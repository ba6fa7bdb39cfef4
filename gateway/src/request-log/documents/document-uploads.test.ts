import { expect, test } from 'vitest';
import { DOCUMENT_BYTES, type DocumentDrop, DocumentUploads, type UploadOptions } from './document-uploads.ts';

const REFUSED = new Error('refused');
const AWAY = new Error('away');

/** A store that answers as it is told. */
function given(put: (key: string) => Promise<void>, more: Partial<UploadOptions> = {}) {
  const seen = { written: 0, dropped: [] as DocumentDrop[], calls: [] as string[], ms: 0 };
  const uploads = new DocumentUploads({
    store: {
      put: (key, _, { signal }) => {
        seen.calls.push(key);
        return new Promise((resolve, reject) => {
          signal.onCancel(() => reject(signal.reason));
          put(key).then(resolve, reject);
        });
      },
      isRefusal: (error) => error === REFUSED,
    },
    settings: { failures: 5, pauseMs: 60_000, timeoutMs: 15_000 },
    ...{ maxBytes: 100_000, retryMs: 1, nowMs: () => seen.ms },
    onWritten: () => {
      seen.written += 1;
    },
    onDropped: (reason) => void seen.dropped.push(reason),
    ...more,
  });
  const add = (key: string, bytes = 10): boolean =>
    uploads.add({ key, bytes: Buffer.alloc(bytes), keptUntilMs: undefined });
  return { uploads, seen, add };
}

const never = (): Promise<void> => new Promise(() => undefined);

test('a document is tried again until the store takes it', async () => {
  let failures = 4;
  const { uploads, seen, add } = given(async () => {
    failures -= 1;
    if (failures >= 0) throw AWAY;
  });
  expect(add('a')).toBe(true);
  await uploads.close(5_000);
  expect(seen).toMatchObject({ written: 1, dropped: [], calls: ['a', 'a', 'a', 'a', 'a'] });
  expect(uploads.bytes).toBe(0);
});

test('a document that the store refuses is dropped at once, and others are written', async () => {
  const { uploads, seen, add } = given(async (key) => {
    if (key === 'bad') throw REFUSED;
  });
  for (const key of ['a', 'bad', 'b']) add(key);
  await uploads.close(5_000);
  expect(seen).toMatchObject({ written: 2, dropped: ['refused'], calls: ['a', 'bad', 'b'] });
  expect(uploads.isOpen).toBe(false);
});

test('what waits when the breaker opens is dropped, and nothing is sent until a probe has been taken', async () => {
  let isAway = true;
  const { uploads, seen, add } = given(async () => {
    if (isAway) throw AWAY;
  });
  for (let at = 0; at < 20; at += 1) add(`${at}`);
  await expect.poll(() => seen.dropped.length).toBe(20);
  expect(new Set(seen.dropped)).toEqual(new Set(['store_away']));
  expect(uploads.isOpen).toBe(true);
  const { length } = seen.calls;
  expect(add('while open')).toBe(false);
  seen.ms += 60_000;
  expect(add('failing probe')).toBe(true);
  expect(add('beside the probe')).toBe(false);
  await expect.poll(() => seen.dropped.length).toBe(23);
  expect(seen.calls.slice(length)).toEqual(['failing probe']);
  seen.ms += 60_000;
  isAway = false;
  expect(add('probe')).toBe(true);
  await expect.poll(() => seen.written).toBe(1);
  expect(uploads.isOpen).toBe(false);
  expect(add('after')).toBe(true);
  await uploads.close(5_000);
  expect(seen.written).toBe(2);
  expect(uploads.bytes).toBe(0);
});

test('bytes are bounded, calls beside each other too, and the end of the process drops what is left', async () => {
  const maxBytes = 10 * (DOCUMENT_BYTES + 100);
  const { uploads, seen, add } = given(never, { maxBytes });
  const taken = Array.from({ length: 30 }, (_, at) => add(`${at}`, 100)).filter(Boolean).length;
  expect(taken).toBe(30);
  expect(uploads.bytes).toBe(maxBytes);
  expect(seen.calls).toHaveLength(8);
  await uploads.close(1);
  expect(seen.dropped.filter((reason) => reason === 'queue_full')).toHaveLength(20);
  expect(seen.dropped.filter((reason) => reason === 'shutdown')).toHaveLength(10);
  expect(uploads.bytes).toBe(0);
  expect(add('late')).toBe(false);
});

test('of more than there is room for, the oldest that wait are dropped, and those under way stay', async () => {
  const hold = Promise.withResolvers<void>();
  const { uploads, seen, add } = given(() => hold.promise, { maxBytes: 11 * (DOCUMENT_BYTES + 100) });
  for (let at = 0; at < 12; at += 1) expect(add(`${at}`, 100)).toBe(true);
  expect(seen.dropped).toEqual(['queue_full']);
  expect(add('as large as two', DOCUMENT_BYTES + 200)).toBe(true);
  expect(seen.dropped).toHaveLength(3);
  expect(add('larger than what does not run', 4 * DOCUMENT_BYTES)).toBe(false);
  expect(seen.dropped).toEqual(Array(4).fill('queue_full'));
  hold.resolve();
  await uploads.close(5_000);
  expect(seen.calls).toEqual([...'01234567', '11', 'as large as two']);
  expect(seen).toMatchObject({ written: 10, dropped: { length: 4 } });
  expect(uploads.bytes).toBe(0);
});

test('documents without bytes are bounded, too', () => {
  const { uploads, seen, add } = given(never, { maxBytes: 20 * DOCUMENT_BYTES });
  for (let at = 0; at < 30; at += 1) add(`${at}`, 0);
  expect(seen.dropped).toHaveLength(10);
  expect(uploads.bytes).toBe(20 * DOCUMENT_BYTES);
});

test('a call that hangs is a failure', async () => {
  const settings = { failures: 5, pauseMs: 60_000, timeoutMs: 1 };
  const { uploads, seen, add } = given(never, { settings });
  add('a');
  await uploads.close(5_000);
  expect(seen).toMatchObject({ dropped: ['store_away'], calls: ['a', 'a', 'a', 'a', 'a'] });
  expect(uploads.isOpen).toBe(true);
});
