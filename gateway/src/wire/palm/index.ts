export { fromPalmChat, fromPalmCompletion } from './answer.ts';
export { fromPalmEmbedding, toPalmEmbedding } from './embed.ts';
export { takesPalmChat, takesPalmCompletion, takesPalmEmbedding } from './params.ts';
export { toPalmChat, toPalmCompletion } from './request.ts';
