/** Response times as steps of a logarithmic scale, so that roll-ups can tell percentiles: docs/behaviour/request-logs.md. */

/** Neighbouring steps differ by 10 %. */
export const LATENCY_RATIO = 1.1;
const LOG_RATIO = Math.log(LATENCY_RATIO);
/** About 1.9 million seconds. */
export const MAX_LATENCY_STEP = 224;

/** 0 for less than 1 ms. */
export const latencyStep = (ms: number): number =>
  ms < 1 ? 0 : Math.min(MAX_LATENCY_STEP, 1 + Math.floor(Math.log(ms) / LOG_RATIO));

/** The middle of a step, in ms: at most 5 % from any time in it. */
export const msOfStep = (step: number): number => (step === 0 ? 0.5 : LATENCY_RATIO ** (step - 0.5));
