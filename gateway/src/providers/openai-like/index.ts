/** Building blocks of providers of the OpenAI format; no provider is named here. */

export { batchOutput, type NamedBlob } from './batch-output.ts';
export { listedRows } from './batch-rows.ts';
export { AT_LEAST_ONE, BEYOND_OPENAI, type ClampChanges, EXACTLY_ONE, NOT_NEGATIVE, OLDER_LIMIT } from './bounds.ts';
export {
  chatEndpoint,
  completionEndpoint,
  type EndpointRow,
  embeddingsEndpoint,
  openAiMessages,
  type ResponsesPath,
  realtimeBelow,
  realtimeEndpoint,
  relayedEndpoint,
  responsesBelow,
  responsesEndpoints,
} from './endpoints.ts';
export { type FurtherRows, furtherEndpoints } from './further.ts';
export { editMessages, foldDeveloper, type MessageEdit, withoutMembers } from './messages.ts';
export {
  dataPlaneOf,
  modelPlacesBelow,
  modelPlacesOf,
  OPENAI_MODEL_PLACES,
  OPENAI_PATHS,
  pathsBelow,
} from './paths.ts';
export {
  type RealtimeCallPath,
  realtimeCallEndpoints,
  realtimeCallsBelow,
  realtimeSecretEndpoint,
  realtimeSessionEndpoint,
  transcriptionSessionEndpoint,
  translationCallEndpoints,
} from './realtime.ts';
export { type RemoteFile, uploadedFile } from './remote-files.ts';
export {
  batchEndpoints,
  fileEndpoints,
  finetuneEndpoints,
  type ResourceOptions,
  type ResourcePath,
  resourcesBelow,
  withProviderOptions,
} from './resources.ts';
export { type OpenAiRow, openAiLike } from './row.ts';
