import type { JsonObject } from '../contract.ts';

/** The vector as the client asked for it: `base64` is little-endian float32, what OpenAI's own SDKs ask for by default. */
export function encodeVector(vector: readonly unknown[], params: JsonObject): readonly unknown[] | string {
  if (params['encoding_format'] !== 'base64') return vector;
  const bytes = Buffer.alloc(vector.length * Float32Array.BYTES_PER_ELEMENT);
  vector.forEach((value, at) => {
    bytes.writeFloatLE(typeof value === 'number' ? value : 0, at * Float32Array.BYTES_PER_ELEMENT);
  });
  return bytes.toString('base64');
}
