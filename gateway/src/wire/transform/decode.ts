/** Streams of another format: bytes to frames to items to the client's text. */
import type { StreamDecoder, StreamItem, Usage } from '../contract.ts';
import type { FrameReader } from '../framing/index.ts';
import { countsOf } from '../usage/index.ts';
import type { StreamEncoder } from './encoder.ts';
import { fieldsOf } from './relay.ts';
import type { ByteTransform } from './transform.ts';

export function createDecode(reader: FrameReader, decoder: StreamDecoder, encoder: StreamEncoder): ByteTransform {
  let usage: Usage | undefined;
  const encode = (items: readonly StreamItem[]): string => {
    let text = '';
    for (const item of items) {
      if (item.kind === 'usage') usage = item.usage;
      text += encoder.encode(item);
    }
    return text;
  };
  return {
    push: (bytes) => {
      let text = '';
      for (const frame of reader.push(bytes)) text += encode(decoder.push(frame));
      return text === '' ? undefined : text;
    },
    end: () => {
      const rest = reader.end().flatMap((frame) => decoder.push(frame));
      return encode([...rest, ...decoder.end()]) + encoder.end();
    },
    fail: (error) => encoder.fail(fieldsOf(error)),
    tokens: () => (usage === undefined ? undefined : countsOf(usage)),
  };
}
