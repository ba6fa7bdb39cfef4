/** Streams of another format: bytes to frames to items to the client's text. */

import { AppError } from '../../errors/index.ts';
import { readJson } from '../../lib/json/index.ts';
import { findModel, HEAD_CHARS, readUsage } from '../../usage/index.ts';
import type { Frame, StreamDecoder, StreamItem, Usage } from '../contract.ts';
import type { FrameReader } from '../framing/index.ts';
import type { StreamEncoder } from './encoder.ts';
import { fieldsOf } from './relay.ts';
import type { ByteTransform } from './transform.ts';

export interface DecodeParts {
  readonly reader: FrameReader;
  readonly decoder: StreamDecoder;
  readonly encoder: StreamEncoder;
  /** Cleans the text of an error that the provider reports. */
  readonly scrub?: (text: string) => string;
}

export function createDecode({ reader, decoder, encoder, scrub = (text) => text }: DecodeParts): ByteTransform {
  let usage: Usage | undefined;
  let head = '';
  const encode = (items: readonly StreamItem[]): string => {
    let text = '';
    for (const item of items) {
      if (item.kind === 'usage') usage = item.usage;
      text += item.kind === 'error' ? scrub(encoder.encode(item)) : encoder.encode(item);
    }
    if (head === '') head = text.slice(0, HEAD_CHARS);
    return text;
  };
  /** What a decoder passes over may be anything but a piece of the answer that arrived broken. */
  const read = (frame: Frame): readonly StreamItem[] => {
    const items = decoder.push(frame);
    if (items.length > 0 || !isBrokenJson(frame.data)) return items;
    throw new AppError('UPSTREAM_STREAM_BROKEN', { detail: 'The provider sent an event that is not valid JSON' });
  };
  return {
    push: (bytes) => {
      let text = '';
      for (const frame of reader.push(bytes)) text += encode(read(frame));
      return text === '' ? undefined : text;
    },
    end: () => {
      const rest = reader.end().flatMap((frame) => decoder.push(frame));
      return encode([...rest, ...decoder.end()]) + encoder.end();
    },
    fail: (error) => encoder.fail(fieldsOf(error)),
    report: () => ({ usage: usage && readUsage(usage), model: findModel(head) }),
  };
}

function isBrokenJson(data: string): boolean {
  if (!/^\s*\{/.test(data)) return false;
  try {
    readJson(data);
    return false;
  } catch {
    return true;
  }
}
