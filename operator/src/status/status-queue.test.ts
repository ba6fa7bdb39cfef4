import { describe, expect, test } from 'vitest';
import { PROGRAMMED, type ProgrammedState } from '../publish/fleets/index.ts';
import type { KubeObject } from '../runtime/index.ts';
import { createTestClock, flush } from '../runtime/time/testing.ts';
import type { Verdict } from '../translate/index.ts';
import type { Translated } from '../world/index.ts';
import { createStatusQueue } from './status-queue.ts';

const VERDICT: Verdict = {
  kind: 'GatewayConfig',
  namespace: 'team',
  name: 'main',
  key: 'GatewayConfig/team/main',
  workspace: 'team',
  generation: 2,
  conditions: {
    Accepted: { status: 'True', reason: 'Accepted', message: 'a' },
    ResolvedRefs: { status: 'True', reason: 'ResolvedRefs', message: 'r' },
  },
  issues: [],
  serves: 'current',
};
const PENDING: ProgrammedState = { status: 'Unknown', reason: 'Pending', message: 'p' };
const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** One object whose pods are as far as the test sets; `said` holds each written status of `Programmed`. */
async function stage(verdict: Verdict, first: ProgrammedState) {
  const clock = createTestClock();
  const stop = new AbortController();
  const said: string[] = [];
  let programmed = first;
  const live: KubeObject = { apiVersion: 'v1', kind: verdict.kind, metadata: { name: 'main', generation: 2 } };
  const desk = createStatusQueue({
    ports: {
      writer: {
        applyIfChanged: async (_, { conditions = [] }) => {
          said.push(conditions.find(({ type }) => type === 'Programmed')?.status ?? '');
        },
      },
      events: { record: () => {} },
      live: () => live,
      extras: () => ({}),
      exhaustion: () => undefined,
    },
    fleets: { programmedStateOf: () => programmed, countedApart: () => undefined },
    log: QUIET,
    clock,
  });
  const running = desk.run(stop.signal);
  // Only these members are used.
  desk.update({
    translation: { verdicts: [verdict], changes: { verdicts: [], gone: [] } },
    sequence: 1,
  } as unknown as Translated);
  await flush();
  return {
    said,
    pass: async (ms: number) => {
      clock.advance(ms);
      await flush();
    },
    reach: async (next: ProgrammedState) => {
      programmed = next;
      desk.markPending();
      await flush();
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      clock.advance(1_000);
      await running;
    },
  };
}

describe('the status of an edit that pods have yet to load', () => {
  test('is written once when they load it within a second', async () => {
    await using edit = await stage(VERDICT, PENDING);
    await edit.pass(900);
    await edit.reach(PROGRAMMED);
    await edit.pass(20_000);
    expect(edit.said).toEqual(['True']);
  });

  test('says Pending once they take longer, and again when they are late', async () => {
    await using edit = await stage(VERDICT, PENDING);
    await edit.pass(2_000);
    expect(edit.said).toEqual(['Unknown']);
    await edit.pass(6_000);
    expect(edit.said).toEqual(['Unknown']);
    await edit.pass(3_000);
    expect(edit.said).toEqual(['Unknown', 'Unknown']);
    await edit.reach(PROGRAMMED);
    expect(edit.said).toEqual(['Unknown', 'Unknown', 'True']);
  });

  test.for<{ rule: string; verdict: Verdict; programmed: ProgrammedState; want: string }>([
    {
      rule: 'no fleet serves it',
      verdict: VERDICT,
      programmed: { status: 'False', reason: 'NoFleet', message: 'n' },
      want: 'False',
    },
    {
      rule: 'no pod is ready',
      verdict: VERDICT,
      programmed: { status: 'Unknown', reason: 'NoReadyPods', message: 'n' },
      want: 'Unknown',
    },
    {
      rule: 'a reference is missing',
      verdict: {
        ...VERDICT,
        conditions: { ...VERDICT.conditions, ResolvedRefs: { status: 'False', reason: 'RefNotFound', message: 'r' } },
      },
      programmed: PENDING,
      want: 'Unknown',
    },
    {
      rule: 'the object is refused',
      verdict: {
        ...VERDICT,
        serves: 'last good',
        conditions: { ...VERDICT.conditions, Accepted: { status: 'False', reason: 'Invalid', message: 'a' } },
      },
      programmed: PENDING,
      want: 'Unknown',
    },
  ])('is not held back when $rule', async ({ verdict, programmed, want }) => {
    await using edit = await stage(verdict, programmed);
    expect(edit.said).toEqual([want]);
  });
});
