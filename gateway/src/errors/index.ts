export { AppError, type AppErrorOptions } from './app-error.ts';
export { type ErrorProtocol, messagesErrorType, type RenderedError, renderError } from './render.ts';
export { toAppError } from './to-app-error.ts';
