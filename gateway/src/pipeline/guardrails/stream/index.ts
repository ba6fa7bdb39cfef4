/** Guardrails on the streams of answers: docs/behaviour/streams.md. */
export { type BufferedStream, bufferStream, releasedStream } from './buffered-stream.ts';
export { checkStream, type StreamHooks } from './check-stream.ts';
export { guardStream, type StreamEnd, type StreamGuard } from './guarded-stream.ts';
export { type RunHooks, windowsOf } from './window-check.ts';
