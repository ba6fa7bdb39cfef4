export { fromCohereAnswer } from './answer.ts';
export {
  type DatasetPart,
  EMBED_INPUT,
  type FileEntry,
  fromDataset,
  fromDatasetAnswer,
  KEPT_FIELDS,
  partsOfDataset,
  toDatasetRow,
} from './dataset.ts';
export { fromCohereEmbed, toCohereEmbedBody } from './embed.ts';
export {
  type BatchEntry,
  EMBED_ENDPOINT,
  fromEmbeddedRecord,
  fromEmbedJob,
  type JobUsage,
  shareOf,
  toEmbeddedAnswer,
  toEmbedJob,
  usageOfJob,
} from './embed-job.ts';
export { createGenerateDecoder, fromGenerate, toGenerateBody } from './generate.ts';
export { takesCohereChat, takesCohereEmbed, takesGenerate } from './params.ts';
export { toCohereBody } from './request.ts';
export { fromCohereRerank } from './rerank.ts';
export { createCohereDecoder } from './stream.ts';
