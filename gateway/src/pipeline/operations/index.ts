export { type BodyKind, errorFormatOf, type Operation, type OperationId, type Protocol } from './operation.ts';
export { OPERATIONS, ROUTES, type Route } from './register.ts';
