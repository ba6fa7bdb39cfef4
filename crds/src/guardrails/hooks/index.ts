export { declaresHooks, HOOK_MEMBERS, hooksOf, type NodeWithHooks } from './config-hooks.ts';
export type { FeedbackSpec, HookActions, HookSpec } from './hook-spec.ts';
export { MAX_CHECKS, MAX_HOOKS, type ParseHooksOptions, parseHooks } from './parse-hooks.ts';
