import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isoTime } from './clock.ts';

test('writes a time as Date does, also one of another second than the last', () => {
  const time = fc.date({ noInvalidDate: true }).map((date) => date.getTime());
  const near = fc.integer({ min: 1_799_999_998_000, max: 1_800_000_001_000 });
  fc.assert(
    fc.property(fc.array(fc.oneof(time, near), { minLength: 1, maxLength: 20 }), (times) => {
      expect(times.map(isoTime)).toEqual(times.map((ms) => new Date(ms).toISOString()));
    }),
  );
});
