import { describe, expect, test } from 'vitest';
import { sampleGuardrail } from '../../record/testing.ts';
import { feedbackOfGuardrails } from './guardrail-feedback.ts';

const caller = { keyId: 'key/team-a/main', user: 'ada@example.com', workspace: 'team-a' };
const checks = { successfulChecks: 'default.contains', failedChecks: 'a, b', erroredChecks: '' };
const ID = 'a4b5c6d7-0000-4000-8000-000000000001';
const of = (feedback: object | undefined) =>
  feedbackOfGuardrails({
    ...{ trace: { traceId: 't' }, caller },
    guardrails: [sampleGuardrail({ feedback: feedback && ({ id: ID, ...feedback } as never) })],
  });

describe('feedback of a guardrail', () => {
  test('is that of the request of the key, with what the guardrail sets and the names of checks', () => {
    expect(of({ value: -5, weight: 0.5, metadata: { team: 'shop', ...checks } })).toEqual([
      {
        ...{ id: ID, workspace: 'team-a', trace_id: 't', value: -5, weight: 0.5 },
        ...{ api_key: 'key/team-a/main', key_user: 'ada@example.com', guardrail: 'no-cards', created_at: 2 },
        metadata: { team: 'shop', ...checks },
      },
    ]);
  });

  test.for<[what: string, feedback: object | undefined]>([
    ['that is not configured', undefined],
    ['that is not to be kept', { id: undefined, value: 0, weight: 1, metadata: checks }],
  ])('%s is none', ([, feedback]) => {
    expect(of(feedback)).toEqual([]);
  });

  test('has a whole number and bounded metadata, without members that hold secrets', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`m${i}`, 'x'.repeat(500)]));
    const metadata = { said: 'so', password: 'p', ...many, ...checks, failedChecks: 'c'.repeat(5_000) };
    const [one] = of({ value: 3.6, weight: 1, metadata });
    expect(one).toMatchObject({ value: 4 });
    expect(Object.keys(one?.metadata ?? {})).toHaveLength(67);
    expect(one?.metadata['m1']).toHaveLength(128);
    expect(one?.metadata['failedChecks']).toHaveLength(1_024);
    expect(one?.metadata['password']).not.toBe('p');
  });

  test('is kept of 64 guardrails of a request', () => {
    const guardrails = Array(100).fill(sampleGuardrail({ feedback: { id: ID, value: 1, weight: 1, metadata: {} } }));
    expect(feedbackOfGuardrails({ trace: { traceId: 't' }, caller, guardrails })).toHaveLength(64);
  });
});
