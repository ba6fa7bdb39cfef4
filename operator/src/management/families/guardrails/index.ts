export { GUARDRAILS } from './guardrails.ts';
