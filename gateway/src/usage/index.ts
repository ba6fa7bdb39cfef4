export { type AnswerEdges, type AnswerEnd, findEnd, toFinishReason } from './answer-end.ts';
export { estimateInput, estimateUsage, type UncountedAnswer } from './estimate.ts';
export { type AnswerReport, findModel, findUsage, MODEL_SEARCH_CHARS, readReport } from './find.ts';
export { addUsage, hasCounts, type ModalityTokens, NO_USAGE, readUsage, type TokenUsage } from './token-usage.ts';
export { estimateRecording, findRecording, type RecordingUsage, type Transcript } from './transcript.ts';
export { findWrongCount, type WrongCount } from './wrong-count.ts';
