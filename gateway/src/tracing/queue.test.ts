import { describe, expect, test, vi } from 'vitest';
import { createSpanQueue, type SpanQueueOptions } from './queue.ts';
import type { Content, Span } from './span.ts';

const span = (name: string): Span => ({
  ...{ name, kind: 'server', traceId: 't', spanId: 's', parentId: undefined, remoteParent: false, state: undefined },
  ...{ startMs: 0, endMs: 1, failed: false, attributes: {}, events: [] },
});
const said = (name: string, bytes: number): Span => ({ ...span(name), content: contentOf(bytes) });
const contentOf = (bytes: number): Content => ({ attributes: { a: 'x'.repeat(bytes) }, bytes });
const spans = (...names: string[]): Span[] => names.map(span);

function queueOf(over: Partial<SpanQueueOptions> = {}) {
  const batches: string[][] = [];
  const contents: (number | undefined)[][] = [];
  let withoutContent = 0;
  const dropped: [spans: number, error: unknown][] = [];
  let sent = 0;
  const queue = createSpanQueue({
    ...{ maxSpans: 4, batchSpans: 2, delayMs: 10, maxContentBytes: 100, batchContentBytes: 50 },
    send: async (batch) => {
      batches.push(batch.map(({ name }) => name));
      contents.push(batch.map(({ content }) => content?.bytes));
    },
    onSent: (count) => {
      sent += count;
    },
    onDropped: (count, error) => void dropped.push([count, error]),
    onContentDropped: () => {
      withoutContent += 1;
    },
    ...over,
  });
  return { queue, batches, contents, dropped, sent: () => sent, withoutContent: () => withoutContent };
}

/** A send that ends when it is told to. */
function pausedSend() {
  const waiting: (() => void)[] = [];
  return { send: () => new Promise<void>((resolve) => void waiting.push(resolve)), next: () => waiting.shift()?.() };
}

describe('the queue of spans', () => {
  test('sends a full batch at once and the rest after the delay', async () => {
    vi.useFakeTimers();
    const { queue, batches, sent } = queueOf();
    queue.add(spans('a', 'b', 'c'));
    expect(batches).toEqual([['a', 'b']]);
    await vi.advanceTimersByTimeAsync(10);
    expect(batches).toEqual([['a', 'b'], ['c']]);
    expect(sent()).toBe(3);
    vi.useRealTimers();
  });

  test('has one batch on its way, and drops what finds no room', async () => {
    const { send, next } = pausedSend();
    const { queue, dropped, sent } = queueOf({ send });
    queue.add(spans('a', 'b'));
    queue.add(spans('c', 'd', 'e', 'f', 'g'));
    queue.add(spans('h'));
    expect(dropped).toEqual([
      [1, undefined],
      [1, undefined],
    ]);
    next();
    await vi.waitFor(() => expect(sent()).toBe(2));
    next();
    await vi.waitFor(() => expect(sent()).toBe(4));
  });

  test('drops a batch that does not arrive, and goes on', async () => {
    const failure = new Error('away');
    let calls = 0;
    const send = async (): Promise<void> => {
      calls += 1;
      if (calls === 1) throw failure;
    };
    const { queue, dropped, sent } = queueOf({ send });
    queue.add(spans('a', 'b', 'c'));
    await queue.close();
    expect(dropped).toEqual([[2, failure]]);
    expect(sent()).toBe(1);
  });

  test('bounds the content of a batch, but for that of one span', async () => {
    const { queue, batches, sent } = queueOf({ maxSpans: 10, batchSpans: 10, delayMs: 60_000 });
    queue.add([said('a', 20), span('b'), said('c', 25), said('d', 10), span('e')]); // 55 bytes are sent at once
    await vi.waitFor(() => expect(sent()).toBe(3));
    expect(batches).toEqual([['a', 'b', 'c']]);
    queue.add([said('f', 80)]);
    await queue.close();
    expect(batches).toEqual([['a', 'b', 'c'], ['d', 'e'], ['f']]);
  });

  test('sends spans without their content while too much of it waits or is on its way', async () => {
    const { send, next } = pausedSend();
    const got: (number | undefined)[] = [];
    const { queue, withoutContent, dropped } = queueOf({
      ...{ maxSpans: 10, batchSpans: 10, delayMs: 60_000 },
      send: (batch) => {
        got.push(...batch.map(({ content }) => content?.bytes));
        return send();
      },
    });
    queue.add([said('a', 60)]);
    queue.add([said('b', 60), said('c', 40), said('d', 1), span('e')]);
    expect(withoutContent()).toBe(2);
    const closed = queue.close();
    for (const count of [1, 5]) {
      await vi.waitFor(() => expect(got).toHaveLength(count));
      next();
    }
    await closed;
    expect(got).toEqual([60, undefined, 40, undefined, undefined]);
    expect(dropped).toEqual([]);
  });

  test('takes content again once what was on its way has arrived', async () => {
    const { queue, contents, withoutContent, sent } = queueOf({ batchSpans: 1 });
    queue.add([said('a', 100)]);
    await vi.waitFor(() => expect(sent()).toBe(1));
    queue.add([said('b', 100)]);
    await queue.close();
    expect(withoutContent()).toBe(0);
    expect(contents).toEqual([[100], [100]]);
  });

  test('sends what waits when it is closed, and takes nothing afterwards', async () => {
    const { queue, batches, dropped } = queueOf({ batchSpans: 3 });
    queue.add(spans('a'));
    await queue.close();
    queue.add(spans('b'));
    expect(batches).toEqual([['a']]);
    expect(dropped).toEqual([[1, undefined]]);
    await queue.close();
  });
});
