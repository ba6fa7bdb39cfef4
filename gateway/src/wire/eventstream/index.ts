export { createEventStreamReader } from './reader.ts';
export { type EventStreamMessage, encodeEventStreamChunk, encodeEventStreamMessage } from './write.ts';
