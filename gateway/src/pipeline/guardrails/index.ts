/** Guardrails around the attempts of a request: docs/behaviour/guardrails.md. */
export { type ActingHooks, actingHooks } from './acting-hooks.ts';
export { createAnswerHooks } from './answer-hooks.ts';
export { type GuardedRequest, guardrailsNeedFleet, refuseUnknownGuardrails } from './named-guardrails.ts';
export { parseAnswer } from './parse-answer.ts';
export { arePassedBy } from './passed-by.ts';
export type { AskModel, GuardrailPorts } from './ports.ts';
export { createRequestHooks, openGuards } from './request-hooks.ts';
export { type SoftAnswer, softAnswer } from './soft-answer.ts';
export { FAILED_STATUS, type ShownAnswer, type TargetGuards } from './target-guards.ts';
export type { GuardrailLog } from './trail.ts';
export { createGuardrailWatch, type GuardrailWatch } from './watch.ts';
