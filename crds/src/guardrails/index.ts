/** Guardrail checks as the contract knows them: docs/behaviour/guardrails.md. */
export { forwardHeaders, timeout } from './calls.ts';
export {
  type CheckEntry,
  type CheckPhase,
  type CredentialField,
  defineCheckEntry,
  podIdentityProblem,
} from './check.ts';
export * from './checks/hosted.ts';
export * from './checks/json.ts';
export * from './checks/judge.ts';
export * from './checks/jwt.ts';
export * from './checks/local.ts';
export * from './checks/outbound.ts';
export * as partners from './checks/partners/index.ts';
export * from './checks/request.ts';
export * from './checks/text.ts';
export * from './checks/transform.ts';
export {
  declaresHooks,
  type FeedbackSpec,
  HOOK_MEMBERS,
  type HookActions,
  type HookSpec,
  hooksOf,
  MAX_CHECKS,
  MAX_HOOKS,
  type NodeWithHooks,
  type ParseHooksOptions,
  parseHooks,
} from './hooks/index.ts';
export { type CheckSpec, type ParseCheckOptions, parseCheck } from './parse-check.ts';
export { INTEGRATION_PLUGINS, missingFieldsOf, PLUGIN_CREDENTIALS, pluginOf } from './plugins.ts';
export { CHECK_ENTRIES, checkEntryOf } from './register.ts';
export { type GuardrailTestCase, type GuardrailTestFile, parseTestCase, parseTestFile } from './test-cases.ts';
