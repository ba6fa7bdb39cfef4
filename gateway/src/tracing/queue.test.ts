import { describe, expect, test, vi } from 'vitest';
import { createSpanQueue, type SpanQueueOptions } from './queue.ts';
import type { Span } from './span.ts';

const span = (name: string): Span => ({
  ...{ name, kind: 'server', traceId: 't', spanId: 's', parentId: undefined, remoteParent: false, state: undefined },
  ...{ startMs: 0, endMs: 1, failed: false, attributes: {}, events: [] },
});
const spans = (...names: string[]): Span[] => names.map(span);

function queueOf(over: Partial<SpanQueueOptions> = {}) {
  const batches: string[][] = [];
  const dropped: [spans: number, error: unknown][] = [];
  let sent = 0;
  const queue = createSpanQueue({
    ...{ maxSpans: 4, batchSpans: 2, delayMs: 10 },
    send: async (batch) => void batches.push(batch.map(({ name }) => name)),
    onSent: (count) => {
      sent += count;
    },
    onDropped: (count, error) => void dropped.push([count, error]),
    ...over,
  });
  return { queue, batches, dropped, sent: () => sent };
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
