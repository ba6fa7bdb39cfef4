/** The traffic of the proof: what the issue of every change is measured against. */
import { expect } from 'vitest';
import { type Load, type LoadReport, type LoadTask, startLoad } from './load/index.ts';
import type { Team } from './team.ts';

/** Each stream lasts about ten seconds. */
const STREAM_MODEL = 'mock-slow-1000';
const REQUESTS_PER_SECOND = 200;
const STREAMS = 50;

/** Steady traffic of a team: 200 requests/s and 50 open streams over these addresses. */
export const startTraffic = (team: Team, targets: LoadTask['targets']): Promise<Load> =>
  startLoad({
    targets,
    headers: { authorization: `Bearer ${team.key}` },
    requestsPerSecond: REQUESTS_PER_SECOND,
    streams: STREAMS,
    model: 'gpt-4o-mini',
    streamModel: STREAM_MODEL,
  });

/** Every request answered, every stream brought to its end. */
export function expectFlawless({ requests, streams, mishaps, latency }: LoadReport): void {
  const times = [latency.p50, latency.p99, latency.max].map(Math.round).join('/');
  console.log(`traffic: ${requests.ok} requests (p50/p99/max ${times} ms), ${streams.ok} streams, none failed or cut`);
  expect(mishaps).toEqual([]);
  expect(requests.ok).toBe(requests.started);
  expect(streams.ok).toBe(streams.started);
}
