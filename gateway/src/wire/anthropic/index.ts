export { fromAnthropicAnswer } from './answer.ts';
export {
  BATCH_ENDPOINT,
  BATCH_ENDPOINTS,
  type BatchEndpoint,
  type BatchResult,
  fromBatchResult,
  fromMessageBatch,
  fromMessageBatches,
  hasResults,
  isBatchId,
  MESSAGES_ENDPOINT,
} from './batches.ts';
export { createLegacyCompletionDecoder, fromLegacyCompletion, toLegacyCompletion } from './complete.ts';
export {
  assistantPartsOf,
  conversationOf,
  isReplayed,
  type ReadToolCall,
  type ToolChoice,
  toolCallsOf,
  toolChoiceOf,
  toolsOf,
} from './conversation.ts';
export { toCountBody } from './count-tokens.ts';
export { anthropicErrorFields, isOverloadFrame } from './errors.ts';
export { fromDeletedFile, fromFileList, fromFileMetadata } from './files.ts';
export { isSigned } from './messages.ts';
export { takesAnthropicChat, takesLegacyCompletion } from './params.ts';
export { createMessagesRelayDecoder, type RelayOptions } from './relay.ts';
export { outputConfig, toAnthropicBody, userMetadata } from './request.ts';
export { createAnthropicDecoder } from './stream.ts';
export { toServerTool } from './tools.ts';
export { withoutUnsignedThoughts } from './unsigned-thoughts.ts';
export { type TokenCounts, toUsage, usageOfMessage } from './usage.ts';
