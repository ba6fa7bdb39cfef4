export { fromWorkersAiAnswer, fromWorkersAiCompletion } from './answer.ts';
export { fromWorkersAiEmbedding, toWorkersAiEmbedding } from './embed.ts';
export { takesWorkersAiChat, takesWorkersAiCompletion, takesWorkersAiEmbedding } from './params.ts';
export { toWorkersAiChat, toWorkersAiCompletion } from './request.ts';
export { createWorkersAiChatDecoder, createWorkersAiCompletionDecoder } from './stream.ts';
