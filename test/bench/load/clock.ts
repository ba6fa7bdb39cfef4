/** Monotonic time in ms with sub-microsecond steps: the same clock in every thread and process of the machine. */
export const clockMs = (): number => Number(process.hrtime.bigint()) / 1e6;
