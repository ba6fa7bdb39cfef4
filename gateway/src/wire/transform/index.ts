export { createDecodeTransform } from './decode.ts';
export { createEncoder, type EncoderOptions, type StreamEncoder } from './encoder.ts';
export { createRelayTransform } from './relay.ts';
export { AnswerObserver } from './tail.ts';
export type { ByteTransform, StreamProtocol } from './transform.ts';
