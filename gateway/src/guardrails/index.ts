export type {
  CheckAnswer,
  CheckCredential,
  CheckDefinition,
  CheckError,
  CheckSubject,
  CheckTools,
  CompiledCheck,
  ModelQuestion,
  ModelReply,
  RequestType,
  Restorable,
  Transformed,
} from './contract.ts';
export { type GivenPlaceholders, StreamPlaceholders } from './given-placeholders.ts';
export {
  type CheckResult,
  type CompiledHook,
  compileHook,
  type Denial,
  type Feedback,
  type HookCheck,
  type HookOwner,
  type HookPhaseResult,
  type HookResult,
  isDefault,
  MAX_CHECKED_CHARS,
  overrideHook,
  type RanHook,
  runHooks,
  type SubjectFacts,
  type ToolsFor,
  UnknownCheck,
  watchHooks,
} from './hooks/index.ts';
export { createOfflineHooks, type OfflineText, type OfflineVerdict } from './offline.ts';
export { CheckFault } from './outbound/index.ts';
export { CHECKS } from './register.ts';
