export { fromAnthropicAnswer } from './answer.ts';
export { ChatChunks, toChatCompletion } from './chat-envelope.ts';
export {
  createLegacyCompletionDecoder,
  fromLegacyCompletion,
  promptOf,
  toLegacyCompletion,
} from './complete.ts';
export {
  assistantPartsOf,
  conversationOf,
  type ReadToolCall,
  type ToolChoice,
  toolCallsOf,
  toolChoiceOf,
  toolsOf,
} from './conversation.ts';
export { anthropicErrorFields, INCOMPLETE_STREAM, isOverloadFrame, toStreamError } from './errors.ts';
export { finishReasonOf } from './finish-reason.ts';
export { isSigned } from './messages.ts';
export { createMessagesRelayDecoder, type RelayOptions } from './relay.ts';
export { outputConfig, toAnthropicBody, userMetadata } from './request.ts';
export { createAnthropicDecoder } from './stream.ts';
export { TextChunks, type TextCompletion, toTextCompletion } from './text-completion.ts';
export { toServerTool } from './tools.ts';
export { type TokenCounts, toUsage, usageOfMessage } from './usage.ts';
