import { describe, expect, test } from 'vitest';
import { ApiError, type KindRef, type KubeClient, type KubeObject } from '../client/index.ts';
import { createStore } from '../store/index.ts';
import { initialList } from './initial-reads.ts';

const kind: KindRef = { group: '', version: 'v1', kind: 'Thing', plural: 'things', namespaced: true };
const LARGE = 1024 * 1024;

/** Lists objects whose texts have these lengths; a call fails with what `failing` holds for it. */
function listing(lengths: readonly number[], failing = new Map<number, ApiError>()) {
  const limits: (number | undefined)[] = [];
  const list: KubeClient['list'] = async (_kind, { limit = lengths.length, continueToken, onItem }) => {
    limits.push(limit);
    const error = failing.get(limits.length);
    if (error !== undefined) throw error;
    const from = Number(continueToken ?? 0);
    for (const [i, length] of lengths.slice(from, from + limit).entries()) {
      const metadata = { name: `o${from + i}`, uid: 'u', resourceVersion: '1' };
      onItem?.({ apiVersion: 'v1', kind: 'Thing', metadata } as never, length); // what the caller lists
    }
    const next = from + limit;
    return { items: [], resourceVersion: '1', continueToken: next < lengths.length ? String(next) : undefined };
  };
  const store = createStore<KubeObject>();
  const paging = { pageSize: 10, maxPageSize: 40 };
  const read = initialList({ client: { list }, kind, selection: {}, store, ...paging, onRead: () => {} });
  return { limits, store, take: () => read.take(new AbortController().signal) };
}

describe('the pages of a list', () => {
  test('become longer as long as objects are small, up to their bound', async () => {
    const { limits, store, take } = listing(Array.from({ length: 100 }, () => 1_000));
    await take();
    expect(limits).toEqual([10, 40, 40, 40]);
    expect(store.size).toBe(100);
  });

  test('stay short where objects are large', async () => {
    const { limits, take } = listing(Array.from({ length: 30 }, () => LARGE));
    await take();
    expect(limits).toEqual([10, 10, 10]);
  });

  test('stay short after a failure, until a list is complete', async () => {
    const error = new ApiError({ status: 500, reason: 'InternalError', message: '' });
    const { limits, take } = listing(
      Array.from({ length: 30 }, () => 1_000),
      new Map([[2, error]]),
    );
    await expect(take()).rejects.toBe(error);
    await take();
    await take();
    expect(limits).toEqual([10, 40, 10, 10, 10, 10, 40]);
  });
});
