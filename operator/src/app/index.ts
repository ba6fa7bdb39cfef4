/** The composition root: one operator process. */

export { runManagement } from './management/index.ts';
export { runOperator } from './operator.ts';
export { runRetirement } from './retirement-task.ts';
