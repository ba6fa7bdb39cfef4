import { CONDITION_TYPES, type ConditionDraft, toCondition } from '@gatehouse/crds/conditions';
import { describe, expect, test } from 'vitest';
import { ApiError, type KindRef, type KubeObject } from '../client/index.ts';
import { createTestClock, flush } from '../time/testing.ts';
import { isSameStatus, withTransitionTimes } from './compare.ts';
import { conditionOf } from './conditions.ts';
import { createRate } from './rate.ts';
import { createRecentWrites } from './recent.ts';
import { createStatusWriter, type StatusOutcome } from './writer.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const own = new Set<string>(CONDITION_TYPES);
const ready = (status: ConditionDraft['status'], message = 'm'): ConditionDraft =>
  toCondition('Ready', status, { reason: 'Pending', message });
const at = (lastTransitionTime: string, condition: ConditionDraft = ready('True')) => ({
  ...condition,
  lastTransitionTime,
});

describe('the time of a condition', () => {
  const before = { conditions: [at('2026-01-01T00:00:00Z')] };
  test.for([
    { rule: 'stays while the status does', draft: [ready('True', 'other')], want: ['2026-01-01T00:00:00Z'] },
    { rule: 'is now where the status turned', draft: [ready('False')], want: ['2026-01-02T03:04:05Z'] },
    {
      rule: 'is now where there was none',
      draft: [{ ...ready('True'), type: 'Accepted' }],
      want: ['2026-01-02T03:04:05Z'],
    },
  ])('$rule', ({ draft, want }) => {
    const { conditions } = withTransitionTimes({ conditions: draft }, before, NOW);
    expect(conditions).toMatchObject(want.map((lastTransitionTime) => ({ lastTransitionTime })));
  });

  test('is no matter for a status without conditions', () => {
    expect(withTransitionTimes({ observedGeneration: 1 }, before, NOW)).toEqual({ observedGeneration: 1 });
  });
});

describe('two statuses', () => {
  const status = { conditions: [at('t')], observedGeneration: 1 };
  const foreign = at('t', { ...ready('True'), type: 'Theirs' as 'Ready' }); // the condition of another controller
  test.for([
    { rule: 'are the same in any order', live: { observedGeneration: 1, conditions: [at('t')] }, want: true },
    { rule: 'are the same beside foreign conditions', live: { ...status, conditions: [foreign, at('t')] }, want: true },
    { rule: 'differ in a time', live: { ...status, conditions: [at('u')] }, want: false },
    {
      rule: 'differ in an own condition that is removed',
      live: { ...status, conditions: [at('t'), at('t', { ...ready('True'), type: 'Stalled' })] },
      want: false,
    },
    { rule: 'differ in a field that has to go', live: { ...status, lastHandledReconcileAt: 'x' }, want: false },
    { rule: 'differ from nothing', live: {}, want: false },
  ])('$rule', ({ live, want }) => {
    expect(isSameStatus(status, live, own)).toBe(want);
  });
});

test('permits are given at once up to the burst, then evenly', async () => {
  const clock = createTestClock();
  const rate = createRate({ perSecond: 10, burst: 2, clock });
  const signal = new AbortController().signal;
  const given: number[] = [];
  for (let i = 0; i < 5; i += 1) void rate.turn(signal).then(() => given.push(clock.monotonicMs()));
  for (let i = 0; i < 40; i += 1) {
    await flush();
    clock.advance(10);
  }
  expect(given).toEqual([0, 0, 100, 200, 300]);
});

test('recent writes are kept for the version they were made for, and only the latest', () => {
  const recent = createRecentWrites(2);
  const object = (resourceVersion: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'X',
    metadata: { name: 'x', resourceVersion },
  });
  for (const id of ['a', 'b', 'c']) recent.add(id, { object: object('1'), status: { id } });
  expect(recent.find('a', object('1'))).toBeUndefined();
  expect(recent.find('b', object('1'))).toEqual({ id: 'b' });
  expect(recent.find('b', object('2'))).toBeUndefined();
  recent.drop('c');
  expect(recent.find('c', object('1'))).toBeUndefined();
});

interface Thing extends KubeObject {
  readonly spec?: object | undefined;
  readonly status?: object | undefined;
}
const kind: KindRef<Thing> = { group: 'g', version: 'v1', kind: 'Thing', plural: 'things', namespaced: true };
const thing = (name: string, fields: Partial<Thing> = {}, metadata: object = {}): Thing => ({
  apiVersion: 'g/v1',
  kind: 'Thing',
  ...fields,
  metadata: {
    namespace: 'n',
    name,
    uid: name,
    resourceVersion: '1',
    creationTimestamp: '2025-01-01T00:00:00Z',
    ...metadata,
  },
});
const draft = { conditions: [ready('True')] };

/** A writer whose calls to the API server are kept, and answered with what `answer` throws. */
function start(answer: (call: number) => unknown = () => undefined) {
  const clock = createTestClock();
  const sent: Thing[] = [];
  const outcomes: StatusOutcome[] = [];
  const stop = new AbortController();
  const write = (): void => {};
  const writer = createStatusWriter({
    client: {
      apply: async (_kind, object) => {
        sent.push(object as Thing); // what this test writes
        const error = answer(sent.length);
        if (error !== undefined) throw error;
        return object as never; // unused
      },
    },
    fieldManager: 'm',
    kinds: [kind],
    conditionTypes: CONDITION_TYPES,
    requestedAtAnnotation: 'example.com/requestedAt',
    log: { debug: write, info: write, warn: write, error: write },
    onOutcome: (outcome) => outcomes.push(outcome),
    maxAtOnce: 1,
    clock,
    random: () => 0,
  });
  const { signal } = stop;
  return {
    ...{ clock, sent, outcomes, writer },
    apply: (object: Thing, status: object = draft) => writer.applyIfChanged(object, status, { signal }),
    run: async (seconds: number) => {
      void writer.run(signal);
      for (let i = 0; i < seconds * 2; i += 1) {
        await flush();
        clock.advance(500);
      }
      await flush();
    },
    names: () => sent.map(({ metadata }) => metadata.name),
  };
}
const failed = (status: number): ApiError =>
  new ApiError({ status, reason: status === 404 ? 'NotFound' : 'x', message: '' });

describe('the status writer', () => {
  test('writes a status that differs, and none that is there already', async () => {
    const { apply, run, sent, outcomes } = start();
    await apply(thing('a'));
    await run(2);
    expect(sent).toMatchObject([{ apiVersion: 'g/v1', metadata: { namespace: 'n', name: 'a' }, status: draft }]);
    const [{ status } = { status: undefined }] = sent;
    await apply(thing('a', { status }, { resourceVersion: '2' }));
    expect(outcomes).toEqual(['written', 'unchanged']);
  });

  test('lets the last status of an object win', async () => {
    const { apply, run, sent } = start();
    await apply(thing('a'));
    await apply(thing('a'), { conditions: [ready('False')] });
    await run(3);
    expect(sent).toMatchObject([{ status: { conditions: [{ status: 'False' }] } }]);
  });

  test('writes no status twice while the cache does not show the last write', async () => {
    const { apply, run, sent, outcomes } = start();
    await apply(thing('a'));
    await run(5);
    await apply(thing('a'));
    await run(2);
    expect(sent).toHaveLength(1);
    expect(outcomes).toEqual(['written', 'unchanged']);
  });

  test('serves a new object before the many that were there at the start', async () => {
    const { apply, run, names } = start();
    for (const name of ['old1', 'old2', 'old3']) await apply(thing(name));
    await apply(thing('new', {}, { creationTimestamp: '2026-06-01T00:00:00Z' }));
    await apply(thing('known', { status: { conditions: [at('t', ready('False'))] } }));
    await run(10);
    expect(names()).toEqual(['new', 'known', 'old1', 'old2', 'old3']);
  });

  test.for([
    { rule: 'tries again what failed', status: 500, calls: 2, outcomes: ['failed', 'written'] },
    { rule: 'gives up an object that is gone', status: 404, calls: 1, outcomes: ['gone'] },
    { rule: 'tries again after a conflict', status: 409, calls: 2, outcomes: ['failed', 'written'] },
    { rule: 'gives up what the schema refuses', status: 422, calls: 1, outcomes: ['failed'] },
  ])('$rule', async ({ status, calls, outcomes }) => {
    const world = start((call) => (call === 1 ? failed(status) : undefined));
    await world.apply(thing('a'));
    await world.run(5);
    expect(world.sent).toHaveLength(calls);
    expect(world.outcomes).toEqual(outcomes);
    expect(world.writer.backlog).toBe(0);
  });

  test('echoes the request for a run', async () => {
    const { apply, run, sent } = start();
    await apply(thing('a', {}, { annotations: { 'example.com/requestedAt': 'x'.repeat(100) } }));
    await run(2);
    expect(sent).toMatchObject([{ status: { lastHandledReconcileAt: 'x'.repeat(64) } }]);
  });

  test('echoes no request for a run of a suspended object, and keeps what was echoed', async () => {
    const { apply, run, sent } = start();
    const asked = { annotations: { 'example.com/requestedAt': 'new' } };
    await apply(thing('a', { spec: { suspend: true }, status: { lastHandledReconcileAt: 'old' } }, asked));
    await run(2);
    expect(sent).toMatchObject([{ status: { lastHandledReconcileAt: 'old' } }]);
  });

  test('refuses a Kind that was not declared', async () => {
    const { apply } = start();
    await expect(apply({ ...thing('a'), kind: 'Other' })).rejects.toThrow(TypeError);
  });
});

test('a condition of any object is found, and only a whole one', () => {
  const object = thing('a', { status: { conditions: [at('t'), { type: 'Stalled' }] } });
  expect(conditionOf(object, 'Ready')).toMatchObject({ status: 'True', reason: 'Pending' });
  expect(conditionOf(object, 'Stalled')).toBeUndefined();
  expect(conditionOf(thing('b'), 'Ready')).toBeUndefined();
});
