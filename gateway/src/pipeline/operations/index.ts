export type { ClientAnswer, OperationHandler, RequestParts, ServedCall } from './handler.ts';
export {
  type AccountModels,
  type BodyKind,
  type CheckedSource,
  callOf,
  checkedAsOf,
  errorFormatOf,
  type LocalAnswer,
  type LocalPorts,
  type Operation,
<<<<<<< HEAD
  type ResolvedRequest,
=======
  takesForms,
>>>>>>> 2195e64f (feat(gateway): serve transcriptions, translations and changed images)
} from './operation.ts';
export { OPERATIONS, type OperationId, ROUTES, type Route } from './register.ts';
