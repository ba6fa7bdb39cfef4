export { fromConverseAnswer } from './answer.ts';
export { fromCompleteAnswer, fromLegacyChatAnswer } from './complete-answer.ts';
export { hasTextCompletion, toCompleteBody, toLegacyChatBody } from './complete-request.ts';
export { createCompleteDecoder, createLegacyChatDecoder } from './complete-stream.ts';
export { fromCount, toConverseCount, toInvokeCount } from './count-tokens.ts';
export {
  cohereVectors,
  embedInputsOf,
  type TitanVector,
  titanVector,
  toCohereEmbedBody,
  toTitanEmbedBody,
} from './embed.ts';
export { awsErrorFields } from './errors.ts';
export { drawsImages, fromImages, takesImages, toImagesBody } from './images.ts';
export { createDialectDecoder, createInvokeMessagesDecoder } from './invoke-stream.ts';
export type { InlineMedia } from './media.ts';
export { toMessagesAnswer } from './messages-answer.ts';
export { remoteUrlsOfMessages, toConverseMessages } from './messages-request.ts';
export { createConverseMessagesDecoder } from './messages-stream.ts';
export { type Family, familyOf, isLegacyChat, readModelId, withoutRegion } from './model-id.ts';
export { takesInvokeMessages, toInvokeMessages } from './native-messages.ts';
export { takesComplete, takesConverse, takesConverseMessages, takesEmbed } from './params.ts';
export { remoteUrlsOf, toConverseBody } from './request.ts';
export { fromRerank, takesRerank, toRerankBody } from './rerank.ts';
export { createConverseDecoder } from './stream.ts';
export type { ConverseTarget } from './target.ts';
export { headerCounts } from './usage.ts';
