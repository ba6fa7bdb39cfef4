/** The composition root: one operator process. */

export { runOperator } from './operator.ts';
export { runRetirement } from './retirement-task.ts';
