/** Where clients of other APIs come in. */

export { cohereChat, cohereEmbed, cohereRerank } from './cohere/index.ts';
export type { Door, Entered } from './door.ts';
export { type EnteredRequest, enterDoor } from './enter.ts';
export {
  geminiChat,
  geminiChatStream,
  geminiCount,
  geminiEmbed,
  geminiEmbedBatch,
  geminiModels,
} from './gemini/index.ts';
export { leaveDoor } from './leave.ts';
export { ollamaChat, ollamaEmbed, ollamaEmbeddings, ollamaGenerate, ollamaShow, ollamaTags } from './ollama/index.ts';
