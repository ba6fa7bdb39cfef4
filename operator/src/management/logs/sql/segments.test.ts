import fc from 'fast-check';
import { expect, test } from 'vitest';
import { segmentsOf } from './segments.ts';

const at = (time: string): number => Date.parse(`2027-01-01T${time}Z`);

test('a long time is read from whole hours, with minutes and rows at its edges', () => {
  expect(segmentsOf(at('01:30:30'), at('04:10:10'), ['minutes', 'hours'])).toEqual([
    { table: 'rows', from: at('01:30:30'), to: at('01:31:00') },
    { table: 'minutes', from: at('01:31:00'), to: at('02:00:00') },
    { table: 'hours', from: at('02:00:00'), to: at('04:00:00') },
    { table: 'minutes', from: at('04:00:00'), to: at('04:10:00') },
    { table: 'rows', from: at('04:10:00'), to: at('04:10:10') },
  ]);
});

test('segments stand side by side, from the beginning to the end', () => {
  const tables = fc.constantFrom<Parameters<typeof segmentsOf>[2]>([], ['minutes'], ['hours'], ['minutes', 'hours']);
  const day = fc.integer({ min: at('00:00:00'), max: at('23:59:59') });
  fc.assert(
    fc.property(day, day, tables, (a, b, which) => {
      const [from, to] = [Math.min(a, b), Math.max(a, b)];
      const segments = segmentsOf(from, to, which);
      expect(segments.reduce((end, segment) => (segment.from === end ? segment.to : Number.NaN), from)).toBe(to);
      for (const { table, ...bounds } of segments) {
        const width = { rows: 1, minutes: 60_000, hours: 3_600_000 }[table];
        expect([bounds.from % width, bounds.to % width]).toEqual([0, 0]);
      }
    }),
  );
});
