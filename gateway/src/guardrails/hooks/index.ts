export {
  type CompiledHook,
  compileHook,
  type HookCheck,
  type HookOwner,
  isDefault,
  overrideHook,
  type ToolsFor,
  UnknownCheck,
} from './compiled-hook.ts';
export type { Feedback } from './feedback.ts';
export type { CheckResult } from './run-check.ts';
export { type HookResult, hookResult, type RanHook } from './run-hook.ts';
export { type Denial, type HookPhaseResult, runHooks, watchHooks } from './run-hooks.ts';
export type { SubjectFacts } from './subject.ts';
