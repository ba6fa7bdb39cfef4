export { type AnswerReport, findModel, findUsage, MODEL_SEARCH_CHARS, readReport } from './find.ts';
export { type ModalityTokens, readUsage, type TokenUsage } from './token-usage.ts';
