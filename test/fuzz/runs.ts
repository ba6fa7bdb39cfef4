import type { Parameters } from 'fast-check';

/** `npm run fuzz` runs long; the same properties run short in the fuzz lane. The seed of a failure is printed. */
export const isLong: boolean = process.env['FUZZ'] === 'long';

/** How often a property is tried: `short` times, a hundred times as often in a long run. */
export const runs = <T>(short: number): Parameters<T> => ({ numRuns: isLong ? short * 100 : short });
