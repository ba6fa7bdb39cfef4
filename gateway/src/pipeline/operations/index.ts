export type { ClientAnswer, OperationHandler, RequestParts, ServedCall } from './handler.ts';
export {
  type BodyKind,
  type CheckedSource,
  callOf,
  checkedAsOf,
  errorFormatOf,
  type LocalAnswer,
  type Operation,
} from './operation.ts';
export { OPERATIONS, type OperationId, ROUTES, type Route } from './register.ts';
