import type { Reason } from '@gatehouse/crds/conditions';
import { waitFor } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { PROGRAMMED } from '../publish/fleets/index.ts';
import type { KubeObject } from '../runtime/index.ts';
import type { Judgement, Translation, Verdict } from '../translate/index.ts';
import type { Translated } from '../world/index.ts';
import { createStatusQueue } from './status-queue.ts';

const GOOD = {
  Accepted: { status: 'True', reason: 'Accepted', message: 'a' },
  ResolvedRefs: { status: 'True', reason: 'ResolvedRefs', message: 'r' },
} as const satisfies Verdict['conditions'];
const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const refused = (reason: Judgement['reason'], message = 'm'): Verdict['conditions'] => ({
  ...GOOD,
  Accepted: { status: 'False', reason, message },
});
const unresolved = (reason: Judgement['reason']): Verdict['conditions'] => ({
  ...GOOD,
  ResolvedRefs: { status: 'False', reason, message: 'm' },
});

const verdict = (conditions: Verdict['conditions']): Verdict => ({
  kind: 'VirtualKey',
  namespace: 'team',
  name: 'x',
  key: 'VirtualKey/team/x',
  workspace: 'team',
  generation: 1,
  conditions,
  issues: [],
  serves: 'current',
});

/** A translation as far as a desk reads it. */
function translated(sequence: number, conditions: Verdict['conditions']): Translated {
  const verdicts = [verdict(conditions)];
  return { sequence, translation: { verdicts, changes: { verdicts, gone: [] } } as Partial<Translation> } as Translated;
}

/** One object, whose status is as `stalled` left it. */
function stage(stalled?: Reason) {
  const conditions = [{ type: 'Stalled', status: 'True', reason: stalled, lastTransitionTime: '2026-01-01T00:00:00Z' }];
  const object: KubeObject & { status: object } = {
    apiVersion: 'gatehouse.dev/v1alpha1',
    kind: 'VirtualKey',
    metadata: { namespace: 'team', name: 'x', generation: 1 },
    status: stalled === undefined ? {} : { conditions },
  };
  const stop = new AbortController();
  const events: string[] = [];
  let written = 0;
  const desk = createStatusQueue({
    ports: {
      writer: {
        applyIfChanged: async () => {
          written += 1;
        },
      },
      events: { record: ({ type, reason }) => events.push(`${type} ${reason}`) },
      live: () => object,
      extras: () => ({}),
      exhaustion: () => undefined,
    },
    fleets: { programmedStateOf: () => PROGRAMMED, countedApart: () => undefined },
    log: QUIET,
  });
  const end = desk.run(stop.signal);
  return {
    events,
    /** Queues a status with these conditions and waits until it is written. */
    say: async (sequence: number, conditions: Verdict['conditions']): Promise<void> => {
      const before = written;
      desk.update(translated(sequence, conditions));
      await waitFor(() => written > before);
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      desk.mark('VirtualKey/team/x');
      await end;
    },
  };
}

describe('the events of an object', () => {
  test.for<{
    rule: string;
    stalled?: Reason;
    said: readonly Verdict['conditions'][];
    want: readonly string[];
  }>([
    { rule: 'are none when it is accepted for the first time', said: [GOOD], want: [] },
    {
      rule: 'report a problem once, also when its message changes',
      said: [refused('Invalid'), refused('Invalid', 'another')],
      want: ['Warning Invalid'],
    },
    {
      rule: 'report a problem that becomes another one',
      said: [refused('Invalid'), unresolved('RefNotFound'), refused('Conflicted')],
      want: ['Warning Invalid', 'Warning RefNotFound', 'Warning Conflicted'],
    },
    {
      rule: 'report the recovery, and the next problem again',
      said: [refused('Invalid'), GOOD, refused('Invalid')],
      want: ['Warning Invalid', 'Normal Accepted', 'Warning Invalid'],
    },
    { rule: 'do not repeat an event of the previous leader', stalled: 'Invalid', said: [refused('Invalid')], want: [] },
    {
      rule: 'continue from the last event of the previous leader',
      stalled: 'Invalid',
      said: [refused('Conflicted'), refused('Invalid')],
      want: ['Warning Conflicted', 'Warning Invalid'],
    },
  ])('$rule', async ({ stalled, said, want }) => {
    await using given = stage(stalled);
    for (const [i, conditions] of said.entries()) await given.say(i, conditions);
    expect(given.events).toEqual(want);
  });
});
