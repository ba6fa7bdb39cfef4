import { createHash } from 'node:crypto';
import { createBoundedMap } from '../bounded-map.ts';
import { type Controls, MOCK_CONTROLS, type MockControl } from './table.ts';

const MAX_KEYS = 10_000;
const FAILURES: readonly string[] = MOCK_CONTROLS.filter((control: MockControl) => control.isFailure).map(
  (control) => control.field,
);

export interface Attempts {
  /** Counts the request when it asks for `x-mock-fail-times`, and returns the controls that still apply. */
  apply(controls: Controls): Controls;
}

export function createAttempts(): Attempts {
  const counts = createBoundedMap<string, number>({ maxEntries: MAX_KEYS, maxBytes: Number.POSITIVE_INFINITY });
  return {
    apply(controls) {
      const { failTimes, failKey } = controls;
      if (failTimes === undefined || failKey === undefined) return controls;
      const key = createHash('sha1').update(failKey).digest('base64'); // a model name can be of any length
      const earlier = counts.get(key) ?? 0;
      counts.set(key, Math.min(earlier + 1, failTimes), 0);
      return earlier < failTimes ? withFailure(controls) : withoutFailures(controls);
    },
  };
}

function withFailure(controls: Controls): Controls {
  return FAILURES.some((field) => field in controls) ? controls : { ...controls, status: 503 };
}

function withoutFailures(controls: Controls): Controls {
  return Object.fromEntries(Object.entries(controls).filter(([field]) => !FAILURES.includes(field)));
}
