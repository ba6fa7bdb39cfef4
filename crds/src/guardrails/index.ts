/** Guardrail checks as the contract knows them: docs/behaviour/guardrails.md. */
export { forwardHeaders, timeout } from './calls.ts';
export { type CheckEntry, type CheckPhase, type CredentialField, defineCheckEntry } from './check.ts';
export { contains } from './checks/text.ts';
export { CHECK_ENTRIES, checkEntryOf } from './register.ts';
