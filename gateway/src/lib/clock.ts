const TIME_ORIGIN_MS = performance.timeOrigin; // a constant behind a getter that costs more than the sum

/** Unix time, in ms, of a time of `performance.now()`. */
export const toUnixMs = (monotonicMs: number): number => TIME_ORIGIN_MS + monotonicMs;
