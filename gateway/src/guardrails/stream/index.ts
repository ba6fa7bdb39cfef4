/** Guardrails on streams: texts of events, windows of text, placeholders that are split over events; docs/behaviour/streams.md. */
export { EventSplitter } from './events.ts';
export { formatOf, readTexts, type TextProtocol } from './formats/index.ts';
export { insideJson, MAX_RESTORED_CHARS, Restorer } from './restorer.ts';
export { RestoringStream } from './restoring-stream.ts';
export { resultsEvent, type StreamedResults } from './results-event.ts';
export { OVERLAP_CHARS, type WindowOptions, type WindowVerdict } from './window.ts';
export { type WindowedResult, WindowedStream } from './windowed-stream.ts';
