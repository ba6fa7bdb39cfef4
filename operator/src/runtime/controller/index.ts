export { type Controller, defineController } from './controller.ts';
export type { Finalizer, Run } from './finalizer.ts';
export type { ControllerMetrics, ControllerOptions, RunReport } from './options.ts';
export { RUN_OUTCOMES, type RunOutcome } from './run-result.ts';
export {
  type Done,
  done,
  type Halt,
  InvariantError,
  RunEndedError,
  retryFrom,
  type StepResult,
  stall,
  unmetStatus,
  wait,
} from './step-result.ts';
export { onChange, onOwned, onReferenced, onReported, onSelf, type WatchRule } from './watch-rules.ts';
