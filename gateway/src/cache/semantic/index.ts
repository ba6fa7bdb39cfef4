export { chatPromptOf, completionPromptOf, type SemanticPrompt } from './prompt.ts';
export { createSharedVectors, type SharedVectorsOptions, VECTOR_SCRIPTS } from './shared-vectors.ts';
export {
  createMemoryVectors,
  type MemoryVectorsOptions,
  type Neighbour,
  toUnit,
  type VectorEntry,
  type VectorStore,
} from './vectors.ts';
