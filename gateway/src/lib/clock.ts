const TIME_ORIGIN_MS = performance.timeOrigin; // a constant behind a getter that costs more than the sum

/** Unix time, in ms, of a time of `performance.now()`. */
export const toUnixMs = (monotonicMs: number): number => TIME_ORIGIN_MS + monotonicMs;

const SECOND_MS = 1_000;

// A memo of a pure function: times that follow each other are of one ms, or at least of one second.
let lastMs = Number.NaN;
let lastText = '';
let secondMs = Number.NaN;
let secondText = '';

/** A Unix time, in whole ms, as ISO 8601 has it in UTC: as `Date` writes it, at a fraction of the work. */
export function isoTime(ms: number): string {
  if (ms === lastMs) return lastText;
  const inSecond = ((ms % SECOND_MS) + SECOND_MS) % SECOND_MS;
  if (ms - inSecond !== secondMs) {
    secondText = new Date(ms - inSecond).toISOString().slice(0, -'000Z'.length);
    secondMs = ms - inSecond;
  }
  lastText = `${secondText}${String(inSecond).padStart(3, '0')}Z`;
  lastMs = ms;
  return lastText;
}
