/** One operator process. */

export { FRONT_DESK_METRICS } from './metrics.ts';
export { runOperator } from './operator.ts';
export { runRetirement } from './retirement.ts';
