import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Period, periodAt, type Schedule, toSchedule } from './index.ts';

const ms = (text: string): number => Date.parse(`${text}Z`);
const period = (start: string, end: string | undefined): Period => ({
  startMs: start === '' ? 0 : ms(start),
  endMs: end === undefined ? undefined : ms(end),
});
const weekly = { period: 'weekly' } as const;
const monthly = { period: 'monthly' } as const;

describe('the period of a budget', () => {
  test.for<{ rule: string; schedule: Schedule; now: string; want: Period }>([
    { rule: 'without resets never ends', schedule: {}, now: '2026-03-04T05:06', want: period('', undefined) },
    {
      rule: 'of a week begins on Monday',
      schedule: { reset: weekly },
      now: '2026-11-22T23:59:59.999', // a Sunday
      want: period('2026-11-16T00:00', '2026-11-23T00:00'),
    },
    {
      rule: 'of a week begins at the first moment of Monday',
      schedule: { reset: weekly },
      now: '2026-11-23T00:00',
      want: period('2026-11-23T00:00', '2026-11-30T00:00'),
    },
    {
      rule: 'of a week has seven days where a time zone moves its clocks',
      schedule: { reset: weekly },
      now: '2026-03-29T01:30',
      want: period('2026-03-23T00:00', '2026-03-30T00:00'),
    },
    {
      rule: 'of a week goes on from the first reset',
      schedule: { reset: weekly, firstResetAtMs: ms('2026-11-18T00:00') },
      now: '2026-11-30T12:00',
      want: period('2026-11-25T00:00', '2026-12-02T00:00'),
    },
    {
      rule: 'of a month begins on the 1st',
      schedule: { reset: monthly },
      now: '2026-12-31T23:59',
      want: period('2026-12-01T00:00', '2027-01-01T00:00'),
    },
    {
      rule: 'of February has 29 days in a leap year',
      schedule: { reset: monthly },
      now: '2028-02-29T12:00',
      want: period('2028-02-01T00:00', '2028-03-01T00:00'),
    },
    {
      rule: 'of February has 28 days in 2100',
      schedule: { reset: monthly },
      now: '2100-02-28T23:59',
      want: period('2100-02-01T00:00', '2100-03-01T00:00'),
    },
    {
      rule: 'of a month begins at the first reset, once',
      schedule: { reset: monthly, firstResetAtMs: ms('2026-11-15T00:00') },
      now: '2026-11-20T00:00',
      want: period('2026-11-15T00:00', '2026-12-01T00:00'),
    },
    {
      rule: 'of a month begins on the 1st after the first reset',
      schedule: { reset: monthly, firstResetAtMs: ms('2026-11-15T00:00') },
      now: '2027-01-20T00:00',
      want: period('2027-01-01T00:00', '2027-02-01T00:00'),
    },
    {
      rule: 'of a month ends at one more reset in it',
      schedule: { reset: monthly, resetsAtMs: [ms('2026-11-15T10:20:30.4')] },
      now: '2026-11-15T10:20:30.399',
      want: period('2026-11-01T00:00', '2026-11-15T10:20:30.4'),
    },
    {
      rule: 'of a month begins at one more reset in it',
      schedule: { reset: monthly, resetsAtMs: [ms('2026-11-15T10:20:30.4')] },
      now: '2026-11-15T10:20:30.4',
      want: period('2026-11-15T10:20:30.4', '2026-12-01T00:00'),
    },
    {
      rule: 'of a month is whole after one more reset in an earlier one',
      schedule: { reset: monthly, resetsAtMs: [ms('2026-11-15T10:20')] },
      now: '2026-12-02T00:00',
      want: period('2026-12-01T00:00', '2027-01-01T00:00'),
    },
    {
      rule: 'of a month is whole before one more reset in a later one',
      schedule: { reset: monthly, resetsAtMs: [ms('2027-01-15T10:20')] },
      now: '2026-12-02T00:00',
      want: period('2026-12-01T00:00', '2027-01-01T00:00'),
    },
    {
      rule: 'is between two further resets',
      schedule: { reset: monthly, resetsAtMs: [ms('2026-11-20T00:00'), ms('2026-11-15T10:20')] },
      now: '2026-11-18T00:00',
      want: period('2026-11-15T10:20', '2026-11-20T00:00'),
    },
    {
      rule: 'begins at the later of two further resets',
      schedule: { resetsAtMs: [ms('2026-11-20T00:00'), ms('2026-11-15T10:20')] },
      now: '2026-11-20T00:00',
      want: period('2026-11-20T00:00', undefined),
    },
    {
      rule: 'without regular resets begins at the one reset',
      schedule: { resetsAtMs: [ms('2026-11-15T10:20')] },
      now: '2027-11-15T10:20',
      want: period('2026-11-15T10:20', undefined),
    },
    {
      rule: 'without regular resets ends at the one reset',
      schedule: { resetsAtMs: [ms('2026-11-15T10:20')] },
      now: '2026-11-15T10:19',
      want: period('', '2026-11-15T10:20'),
    },
    {
      rule: 'of days goes on from the first reset over the end of a leap February',
      schedule: { reset: { days: 30 }, firstResetAtMs: ms('2028-02-10T00:00') },
      now: '2028-03-11T00:00',
      want: period('2028-03-11T00:00', '2028-04-10T00:00'),
    },
    {
      rule: 'of days without a first reset counts from 1970',
      schedule: { reset: { days: 365 } },
      now: '1971-06-01T00:00',
      want: period('1971-01-01T00:00', '1972-01-01T00:00'),
    },
    {
      rule: 'before the first reset goes back to the beginning',
      schedule: { reset: weekly, firstResetAtMs: ms('2026-12-24T00:00') },
      now: '2026-11-23T00:00',
      want: period('', '2026-12-24T00:00'),
    },
    {
      rule: 'after a single reset never ends',
      schedule: { firstResetAtMs: ms('2026-12-24T00:00') },
      now: '2026-12-24T00:00',
      want: period('2026-12-24T00:00', undefined),
    },
  ])('$rule', ({ schedule, now, want }) => {
    expect(periodAt(schedule, ms(now))).toEqual(want);
  });

  const schedules = fc.record({
    reset: fc.option(
      fc.oneof(fc.constant(weekly), fc.constant(monthly), fc.record({ days: fc.integer({ min: 1, max: 365 }) })),
      {
        nil: undefined,
      },
    ),
    firstResetAtMs: fc.option(
      fc.integer({ min: 1, max: 40_000 }).map((day) => day * 86_400_000),
      { nil: undefined },
    ),
    resetsAtMs: fc.array(fc.integer({ min: 1, max: ms('2200-01-01T00:00') }), { maxLength: 2 }),
  });

  test('contains the time, and the next one begins where it ends, at midnight but for further resets', () => {
    fc.assert(
      fc.property(
        schedules,
        fc.integer({ min: ms('2000-01-01T00:00'), max: ms('2200-01-01T00:00') }),
        (schedule, now) => {
          const { startMs, endMs } = periodAt(schedule, now);
          expect(startMs).toBeLessThanOrEqual(now);
          if (!schedule.resetsAtMs.includes(startMs)) expect(startMs % 86_400_000).toBe(0);
          expect(periodAt(schedule, startMs)).toEqual({ startMs, endMs });
          if (endMs === undefined) return;
          expect(endMs).toBeGreaterThan(now);
          expect(periodAt(schedule, endMs - 1).startMs).toBe(startMs);
          expect(periodAt(schedule, endMs).startMs).toBe(endMs);
        },
      ),
    );
  });
});

describe('the schedule of a budget', () => {
  test('is read from the Snapshot', () => {
    const [firstResetAt, resetAt] = ['2026-11-18T00:00:00Z', '2026-11-20T10:20:30.4Z'];
    expect(toSchedule({ reset: weekly, firstResetAt, resetsAt: [resetAt, undefined] })).toEqual({
      reset: weekly,
      firstResetAtMs: ms('2026-11-18T00:00'),
      resetsAtMs: [ms('2026-11-20T10:20:30.4')],
    });
    expect(toSchedule({})).toEqual({ reset: undefined, firstResetAtMs: undefined, resetsAtMs: undefined });
  });

  test('leaves out resets that are no time', () => {
    expect(toSchedule({ firstResetAt: 'soon', resetsAt: ['now'] })).toEqual({});
  });
});
