/**
 * Builds requests and reads answers as a provider declares. Shared code: names no provider. Pure, except for authorizers
 * and writers, which may make side calls.
 */

export { andThen, type Deferred } from '../../lib/deferred.ts';
export { modelListBody, providerTag, readAnswer, readModels, type UpstreamAnswer } from './answer.ts';
export { apiKeyHeader, bearer, noAuth } from './authorizers.ts';
export { compileProvider } from './compile.ts';
export { droppedNames, MAX_DROPPED_NAMES, NOTHING_DROPPED, saysParam, takenByTable } from './dropped-params.ts';
export {
  invalidAnswer,
  invalidResponse,
  type ProviderErrorBody,
  providerErrorBody,
  readErrorFields,
} from './error-fields.ts';
export { createFields, fieldMissing, requireModel } from './fields.ts';
export type { ModelAt } from './model-places.ts';
export { outputCall } from './output-call.ts';
export { opensRealtimeSession } from './realtime-paths.ts';
export {
  buildModelsRequest,
  buildProxyRequest,
  buildRequest,
  type CallOptions,
  type ModelsOptions,
  type ProxyOptions,
  proxyPath,
  type RequestOptions,
  unsupported,
} from './request.ts';
export { type RowCall, rowCall } from './row-call.ts';
export { shapeBody } from './shape-body.ts';
export { buildStep, jsonOfStep, parsedLine } from './step.ts';
export { framingOf, type OpenedStream, openStream } from './stream.ts';
export { baseOf, holdsCredential, type PreparedTarget, prepareTarget, type TargetOptions } from './target.ts';
export { namePart } from './unsupported-part.ts';
export { hostText, pathSegment, pathText } from './url.ts';
