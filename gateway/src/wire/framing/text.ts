import { StringDecoder } from 'node:string_decoder';
import type { Frame } from '../contract.ts';
import type { FrameReader } from './reader.ts';

/** Plain text: whatever arrived, without the bytes of a character that is not complete yet. */
export function createTextReader(): FrameReader {
  const decoder = new StringDecoder('utf8');
  const toFrames = (data: string): readonly Frame[] => (data === '' ? [] : [{ event: undefined, data }]);
  return {
    push: (bytes) => toFrames(decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))),
    end: () => toFrames(decoder.end()),
  };
}
