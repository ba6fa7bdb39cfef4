export { fromCohereAnswer } from './answer.ts';
export { fromCohereEmbed, toCohereEmbedBody } from './embed.ts';
export { createGenerateDecoder, fromGenerate, toGenerateBody } from './generate.ts';
export { takesCohereChat, takesCohereEmbed, takesGenerate } from './params.ts';
export { toCohereBody } from './request.ts';
export { fromCohereRerank } from './rerank.ts';
export { createCohereDecoder } from './stream.ts';
