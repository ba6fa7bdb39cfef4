export {
  type BatchFacts,
  type BatchStatus,
  type FileFacts,
  secondsOf,
  toBatchObject,
  toFileObject,
} from './batch.ts';
export type {
  AnswerMessage,
  AnyFinishReason,
  BlockDelta,
  ChatChoice,
  ChatChunk,
  ChatCompletion,
  ChatDelta,
  ChatMessage,
  ChunkChoice,
  ContentPart,
  FinishReason,
  ToolCall,
  ToolCallDelta,
} from './chat.ts';
export { readChatAnswer, readCompletionAnswer } from './chat-answer.ts';
export { ChatChunks, toChatCompletion } from './chat-envelope.ts';
export { reasoningOf, withContentBlocks } from './content-blocks.ts';
export type { OpenAiDialect } from './dialect.ts';
export { readErrorShape, withProviderPrefix } from './error-shapes.ts';
export { finishReasonOf, toFinishReason } from './finish-reason.ts';
export {
  type EmbeddingsAnswer,
  embeddingsBody,
  encodeVector,
  type ModelsBody,
  modelEntry,
  modelsBody,
  promptUsage,
} from './lists.ts';
export {
  type DataUrl,
  type FilePart,
  filePartOf,
  imageUrlOf,
  isBase64,
  isForeignThought,
  isSystem,
  maxTokensOf,
  messagesOf,
  mimeTypeOfUrl,
  parseArguments,
  parseDataUrl,
  parseJsonObject,
  partsOf,
  stopList,
  textOf,
  textOfPart,
} from './message.ts';
export { hasOwnSeal, OWN_SEAL } from './own-seal.ts';
export { appendMember, type Member, memberOf } from './splice.ts';
export { createSseRelay, type SseRelay, type SseRelayOptions } from './sse-relay.ts';
export { createOpenAiChatDecoder, createOpenAiCompletionDecoder } from './stream-decoder.ts';
export { INCOMPLETE_STREAM, toStreamError } from './stream-error.ts';
export { promptOf, TextChunks, type TextCompletion, toTextCompletion } from './text-completion.ts';
export {
  isTranscription,
  type ModelPath,
  OLDER_TRANSCRIPTION_MODEL,
  TRANSCRIPTION_MODEL,
  withModelAt,
} from './transcription-session.ts';
export { toUsage } from './usage.ts';
export { askForUsageChunk, wantsUsageChunk } from './usage-filter.ts';
