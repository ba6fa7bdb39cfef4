/** Guardrails on files of texts, without a gateway. */
export { readCases } from './cases.ts';
export { type Hooks, inlineHooks, readHooks, withoutCalls } from './hooks.ts';
export { BadFile } from './problem.ts';
export { summaryOf, tableOf, toJson } from './report.ts';
export { type CaseOutcome, runCases } from './run-cases.ts';
