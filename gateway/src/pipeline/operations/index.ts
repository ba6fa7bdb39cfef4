export type { ClientAnswer, OperationHandler, RequestParts, ServedCall } from './handler.ts';
export {
  type AccountModels,
  type BodyKind,
  type CheckedSource,
  callOf,
  checkedAsOf,
  endpointOf,
  errorFormatOf,
  type Ingest,
  type IngestCall,
  type LocalAnswer,
  type LocalPorts,
  type Operation,
  type OwnResourceCall,
  type OwnResources,
  type ResolvedRequest,
  servedAs,
  takesForms,
} from './operation.ts';
export { OPERATIONS, type OperationId, ROUTES, type Route } from './register.ts';
