import { expect, test } from 'vitest';
import { cacheTtlSeconds } from './ttl.ts';

const WEEK = 604_800;

test.for<{ rule: string; maxAge?: number; header?: string; want: number }>([
  { rule: 'is a week without anything', want: WEEK },
  { rule: 'is the max_age of the target', maxAge: 120, want: 120 },
  { rule: 'prefers the target to the request', maxAge: 120, header: 'max-age=300', want: 120 },
  { rule: 'is the max-age of the request', header: 'max-age=300', want: 300 },
  { rule: 'reads other directives past', header: 'no-transform, Max-Age = "300", private', want: 300 },
  { rule: 'does not read s-maxage', header: 's-maxage=300', want: WEEK },
  { rule: 'does not read x-max-age', header: 'x-max-age=300', want: WEEK },
  { rule: 'accepts the shortest', maxAge: 60, want: 60 },
  { rule: 'accepts the longest', maxAge: 7_776_000, want: 7_776_000 },
  { rule: 'replaces what is too short', maxAge: 59, want: WEEK },
  { rule: 'replaces what is too long', maxAge: 7_776_001, want: WEEK },
  { rule: 'replaces 0, whatever the request says', maxAge: 0, header: 'max-age=300', want: WEEK },
  { rule: 'replaces a fraction', maxAge: 90.5, want: WEEK },
  { rule: 'replaces a max-age that is too long', header: 'max-age=99999999999', want: WEEK },
  { rule: 'replaces a negative max-age', header: 'max-age=-5', want: WEEK },
  { rule: 'replaces a malformed max-age', header: 'max-age=soon', want: WEEK },
])('the lifetime $rule', ({ maxAge, header, want }) => {
  expect(cacheTtlSeconds(maxAge, header)).toBe(want);
});
