export { fromGeminiAnswer } from './answer.ts';
export { fromGeminiCount } from './count-tokens.ts';
export {
  fromEmbedContent,
  fromPredict,
  isEmbeddingBatch,
  toEmbedContentBody,
  toPredictBody,
} from './embedding.ts';
export { fromImagen, takesImagen, toImagenBody } from './imagen.ts';
export { type InlineMedia, type RemoteMedia, remoteMediaOf } from './media.ts';
export { takesEmbedContent, takesGeminiChat, takesPredict } from './params.ts';
export { type GeminiRequestOptions, toGeminiBody } from './request.ts';
export { toGeminiSchema } from './schema.ts';
export { createGeminiDecoder } from './stream.ts';
export { GOOGLE_TOOLS } from './tools.ts';
