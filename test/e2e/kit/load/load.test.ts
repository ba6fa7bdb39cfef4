/** The generator against a mock provider: good answers count as good, and each kind of failure has its own count. */

import { createMockProvider } from '@gatehouse/standalone/mock-provider';
import { waitFor } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { type LoadReport, type LoadTask, startLoad } from './index.ts';

const task = (url: string, more: Partial<LoadTask> = {}): LoadTask => ({
  targets: { mock: url },
  headers: {},
  requestsPerSecond: 100,
  streams: 5,
  model: 'gpt-4o-mini',
  streamModel: 'mock-slow-20',
  ...more,
});

describe('a load', () => {
  test('counts what it sent, and every stream to its end', async () => {
    await using mock = await createMockProvider();
    await using load = await startLoad(task(mock.url));
    await waitFor(async () => (await load.report()).streams.ok >= 5, {
      what: 'five whole streams',
    });
    const { requests, streams, openStreams } = await load.finish();
    expect(requests).toMatchObject({ ok: requests.started, refused: 0, lost: 0, cut: 0 });
    expect(streams).toMatchObject({ ok: streams.started, refused: 0, lost: 0, cut: 0 });
    expect(openStreams).toBe(0);
  });

  test.for([
    { rule: 'refused by status', model: 'mock-fail-503', how: 'refused' },
    { rule: 'cut in its body', model: 'mock-cut-40', how: 'cut' },
  ] as const)('counts a request that was $rule', async ({ model, how }) => {
    await using mock = await createMockProvider();
    const report = await failing(task(mock.url, { model, streams: 0, requestsPerSecond: 20 }));
    expect(report.requests[how]).toBeGreaterThan(0);
    expect(report.requests.ok).toBe(0);
    expect(report.mishaps[0]).toMatchObject({ kind: 'request', target: 'mock', how });
  });

  test('counts streams that lost their other side', async () => {
    const mock = await createMockProvider();
    await using load = await startLoad(task(mock.url, { streamModel: 'mock-slow-500' }));
    await mock.close();
    await waitFor(async () => (await load.report()).streams.cut === 5, {
      what: 'five cut streams',
    });
    await waitFor(async () => (await load.report()).requests.lost > 0, { what: 'lost requests' });
  });
});

/** A load without a good answer is never steady: its report is read until it has a mishap. */
async function failing(given: LoadTask): Promise<LoadReport> {
  await using load = await startLoad(given, { steady: false });
  const hadMishap = async (): Promise<boolean> => (await load.report()).mishaps.length > 0;
  await waitFor(hadMishap, { what: 'a mishap' });
  return await load.report();
}
