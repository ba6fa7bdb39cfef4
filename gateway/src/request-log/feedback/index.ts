export { feedbackOfGuardrails } from './guardrail-feedback.ts';
export { type FeedbackKeeper, keepFeedback } from './keep-feedback.ts';
