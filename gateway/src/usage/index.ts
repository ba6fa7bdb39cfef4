export { type AnswerReport, findModel, findUsage, HEAD_CHARS, readReport } from './find.ts';
export { type Modality, readUsage, type TokenUsage } from './token-usage.ts';
