export { chatPromptOf, completionPromptOf, type SemanticPrompt } from './prompt.ts';
export { createMemoryVectors, type MemoryVectorsOptions, toUnit, type VectorStore } from './vectors.ts';
