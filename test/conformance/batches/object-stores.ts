/** What every store of the bytes of files does: gateway/src/batches/object-store.ts. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Cancellation } from '../../../gateway/src/lib/cancellation.ts';
import { type ObjectStore, StoreFailure } from '../../../gateway/src/object-storage/index.ts';

export interface OpenedObjects extends AsyncDisposable {
  readonly store: ObjectStore;
  /** Everything that is kept, drafts and unfinished uploads included. */
  kept(): Promise<readonly string[]>;
  /** From now on the store cannot be used. */
  breakDown(): Promise<void>;
}

const MIB = 1024 * 1024;
const NEVER = (): Cancellation => new Cancellation();

async function* pieces(...list: readonly (Buffer | Error)[]): AsyncGenerator<Buffer> {
  for (const piece of list) {
    if (piece instanceof Error) throw piece;
    yield piece;
  }
}

/** Different bytes everywhere, so that a part in the wrong place is noticed. */
async function* many(count: number, bytes: number): AsyncGenerator<Buffer> {
  for (let i = 0; i < count; i += 1) yield Buffer.alloc(bytes, createHash('sha256').update(String(i)).digest());
}

async function digest(source: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of source) hash.update(piece);
  return hash.digest('hex');
}

async function textOf(store: ObjectStore, key: string): Promise<string | undefined> {
  const content = await store.get(key);
  if (content === undefined) return undefined;
  let text = '';
  for await (const piece of content) text += String(piece);
  return text;
}

export function describeObjectStore(name: string, open: () => Promise<OpenedObjects>): void {
  describe(`objects in ${name}`, () => {
    let opened: OpenedObjects;
    let store: ObjectStore;
    beforeAll(async () => {
      opened = await open();
      store = opened.store;
    });
    afterAll(() => opened[Symbol.asyncDispose]());

    test('are read as they were written, replaced and deleted', async () => {
      expect(await store.put('a/one', pieces(Buffer.from('first ')), { signal: NEVER() })).toBe(6);
      expect(await store.put('a/one', pieces(Buffer.from('né'), Buffer.from('w')), { signal: NEVER() })).toBe(4);
      expect(await textOf(store, 'a/one')).toBe('néw');
      await store.delete('a/one');
      expect(await store.get('a/one')).toBeUndefined();
      await store.delete('a/one');
    });

    test('may be empty', async () => {
      expect(await store.put('a/empty', pieces(), { signal: NEVER() })).toBe(0);
      expect(await textOf(store, 'a/empty')).toBe('');
      await store.delete('a/empty');
    });

    test.for([
      { rule: 'many small pieces', count: 3_000, bytes: 7_001 },
      { rule: 'a few large ones', count: 3, bytes: 9 * MIB },
    ])('of $rule are whole', async ({ count, bytes }) => {
      expect(await store.put('b/large', many(count, bytes), { signal: NEVER() })).toBe(count * bytes);
      const content = await store.get('b/large');
      expect(await digest(content ?? pieces())).toBe(await digest(many(count, bytes)));
      await store.delete('b/large');
    });

    test('with names of other objects in front stay apart', async () => {
      await store.put('c/file', pieces(Buffer.from('1')), { signal: NEVER() });
      await store.put('c/file.2', pieces(Buffer.from('2')), { signal: NEVER() });
      await store.delete('c/file');
      expect(await textOf(store, 'c/file.2')).toBe('2');
      await store.delete('c/file.2');
    });

    test.for([
      { rule: 'at once', before: 0 },
      { rule: 'after many bytes', before: 12 * MIB },
    ])('leave nothing behind where the source fails $rule', async ({ before }) => {
      await store.put('d/kept', pieces(Buffer.from('old')), { signal: NEVER() });
      const boom = new Error('boom');
      const kept = await opened.kept();
      for (const key of ['d/kept', 'd/new']) {
        const source = pieces(Buffer.alloc(before), boom);
        await expect(store.put(key, source, { signal: NEVER() })).rejects.toBe(boom);
      }
      expect(await opened.kept()).toEqual(kept);
      expect(await textOf(store, 'd/kept')).toBe('old');
      expect(await store.get('d/new')).toBeUndefined();
      await store.delete('d/kept');
    });

    test('leave nothing behind where the upload is cancelled', async () => {
      const kept = await opened.kept();
      const signal = new Cancellation();
      const reason = new Error('the client left');
      async function* source(): AsyncGenerator<Buffer> {
        yield Buffer.alloc(6 * MIB);
        signal.cancel(reason);
        yield Buffer.alloc(6 * MIB);
        yield Buffer.alloc(1);
      }
      await expect(store.put('e/cut', source(), { signal })).rejects.toBe(reason);
      expect(await opened.kept()).toEqual(kept);
    });

    test.for(['../a', 'a/../b', '/a', 'a//b', '', 'a b', 'a/'])('have no key like "%s"', async (key) => {
      await expect(store.get(key)).rejects.toThrow('key');
      await expect(store.delete(key)).rejects.toThrow('key');
      await expect(store.put(key, pieces(), { signal: NEVER() })).rejects.toThrow('key');
    });

    test('that cannot be stored or read are failures of the store', async () => {
      await opened.breakDown();
      await expect(store.put('f/a', pieces(Buffer.from('1')), { signal: NEVER() })).rejects.toBeInstanceOf(
        StoreFailure,
      );
      await expect(store.get('f/a')).rejects.toBeInstanceOf(StoreFailure);
    });
  });
}
