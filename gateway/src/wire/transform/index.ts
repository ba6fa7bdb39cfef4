export { createDecode } from './decode.ts';
export { createEncoder, type EncoderOptions, type StreamEncoder } from './encoder.ts';
export { createRelay } from './relay.ts';
export type { ByteTransform, StreamProtocol } from './transform.ts';
