export { AppError, type AppErrorOptions, memoryExhausted } from './app-error.ts';
export {
  type ErrorFormat,
  errorFormatOfPath,
  messagesErrorType,
  messagesTypeOf,
  type RenderedError,
  renderError,
  type Spell,
  toDoorError,
} from './render.ts';
export { toAppError } from './to-app-error.ts';
