import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Cancellation } from '../../../lib/cancellation.ts';
import { cancelledBy } from '../../../lib/testing.ts';
import { startDeadline } from './deadline.ts';

describe('the deadline of a try', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('ends it with a timeout, and not the request', () => {
    const request = new Cancellation();
    const { signal } = startDeadline(request, 100);
    vi.advanceTimersByTime(99);
    expect(signal.cancelled).toBe(false);
    vi.advanceTimersByTime(1);
    expect(signal.reason).toMatchObject({ code: 'UPSTREAM_TIMEOUT', detail: expect.stringContaining('100 ms') });
    expect(request.cancelled).toBe(false);
  });

  test('is over once cleared, when the try still ends with the request', () => {
    const request = new Cancellation();
    const { signal, clear } = startDeadline(request, 100);
    clear();
    vi.advanceTimersByTime(1_000);
    expect(signal.cancelled).toBe(false);
    request.cancel('enough');
    expect(signal.reason).toBe('enough');
  });

  test('is not waited for by a request that was cancelled before', () => {
    expect(startDeadline(cancelledBy('before'), 100).signal.reason).toBe('before');
  });

  test('of 0 is none: the try has the signal of the request and no timer', () => {
    const request = new Cancellation();
    const { signal, clear } = startDeadline(request, 0);
    clear();
    expect([signal, vi.getTimerCount()]).toEqual([request, 0]);
  });
});
