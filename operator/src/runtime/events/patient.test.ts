import { describe, expect, test } from 'vitest';
import { createTestClock } from '../time/testing.ts';
import { createPatientRecorder } from './patient.ts';
import type { EventDraft } from './recorder.ts';

const about = (name: string) => ({ apiVersion: 'v1', kind: 'Widget', metadata: { name, namespace: 'n', uid: name } });
const warning = (name: string, reason = 'RefNotFound'): EventDraft => ({
  ...{ regarding: about(name), type: 'Warning', reason, action: 'Translate', note: 'm' },
});
const recovered = (name: string): EventDraft => ({
  ...{ regarding: about(name), type: 'Normal', reason: 'Accepted', action: 'Translate', note: 'm' },
});

function stage() {
  const clock = createTestClock();
  const recorded: string[] = [];
  const recorder = createPatientRecorder({
    recorder: {
      record: ({ regarding, type, reason }) => void recorded.push(`${regarding.metadata.name} ${type} ${reason}`),
      settle: () => {},
      run: async () => {},
    },
    reasons: new Set(['RefNotFound', 'RefNotPermitted']),
    holdMs: 30_000,
    clock,
  });
  return { clock, recorded, recorder };
}

describe('a warning of a problem that may end by itself', () => {
  test('is recorded once the problem has lasted, with its latest reason', () => {
    const { clock, recorded, recorder } = stage();
    recorder.record(warning('a'));
    clock.advance(20_000);
    recorder.record(warning('a', 'RefNotPermitted'));
    expect(recorded).toEqual([]);
    clock.advance(10_000);
    expect(recorded).toEqual(['a Warning RefNotPermitted']);
    recorder.record(recovered('a'));
    expect(recorded).toEqual(['a Warning RefNotPermitted', 'a Normal Accepted']);
  });

  test.for([
    {
      rule: 'news of its end',
      end: (recorder: ReturnType<typeof stage>['recorder']) => recorder.record(recovered('a')),
    },
    {
      rule: 'a run without problems',
      end: (recorder: ReturnType<typeof stage>['recorder']) =>
        recorder.settle({ regarding: about('a'), action: 'Translate' }),
    },
  ])('is never recorded after $rule, nor is the end', ({ end }) => {
    const { clock, recorded, recorder } = stage();
    recorder.record(warning('a'));
    recorder.record(warning('b'));
    end(recorder);
    clock.advance(60_000);
    expect(recorded).toEqual(['b Warning RefNotFound']);
  });

  test('has nothing to do with events of another action', () => {
    const { clock, recorded, recorder } = stage();
    recorder.record(warning('a'));
    recorder.record({ ...recovered('a'), action: 'Mint' });
    recorder.settle({ regarding: about('a'), action: 'Mint' });
    clock.advance(60_000);
    expect(recorded).toEqual(['a Normal Accepted', 'a Warning RefNotFound']);
  });

  test('gives way to a problem that needs a person', () => {
    const { clock, recorded, recorder } = stage();
    recorder.record(warning('a'));
    recorder.record(warning('a', 'Invalid'));
    clock.advance(60_000);
    expect(recorded).toEqual(['a Warning Invalid']);
  });

  test('is recorded at once when there are too many, the oldest first', () => {
    const { recorded, recorder } = stage();
    for (let i = 0; i <= 1_000; i += 1) recorder.record(warning(`w${i}`));
    expect(recorded).toEqual(['w0 Warning RefNotFound']);
  });

  test('is dropped with the end of the recorder', async () => {
    const { clock, recorded, recorder } = stage();
    recorder.record(warning('a'));
    await recorder.run(AbortSignal.abort());
    clock.advance(60_000);
    expect(recorded).toEqual([]);
    expect(clock.nextDueMs()).toBeUndefined();
  });
});

test('other events are recorded at once', () => {
  const { recorded, recorder } = stage();
  recorder.record(warning('a', 'Invalid'));
  recorder.record(recovered('a'));
  expect(recorded).toEqual(['a Warning Invalid', 'a Normal Accepted']);
});
