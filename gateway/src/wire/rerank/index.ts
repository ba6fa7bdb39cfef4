export { type RerankShape, readRerank, tokenUsage, unitUsage } from './answer.ts';
export { documentsOf, documentTexts, textsOf } from './documents.ts';
