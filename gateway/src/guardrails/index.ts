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
export { MAX_CHECKED_CHARS } from './extract/index.ts';
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
