/** Streams of another format: bytes to frames to items to the client's text. */

import { AppError } from '../../errors/index.ts';
import { readJson } from '../../lib/json/index.ts';
import { findEnd, findModel, MODEL_SEARCH_CHARS, readUsage } from '../../usage/index.ts';
import type { Frame, StreamDecoder, StreamItem, Usage } from '../contract.ts';
import type { FrameReader } from '../framing/index.ts';
import type { StreamEncoder } from './encoder.ts';
import { errorFields } from './relay.ts';
import type { ByteTransform } from './transform.ts';

export interface DecodeOptions {
  readonly reader: FrameReader;
  readonly decoder: StreamDecoder;
  readonly encoder: StreamEncoder;
  /** Removes credentials from the text of an error that the provider reports. */
  readonly scrub?: (text: string) => string;
}

export function createDecodeTransform({
  reader,
  decoder,
  encoder,
  scrub = (text) => text,
}: DecodeOptions): ByteTransform {
  let usage: Usage | undefined;
  let head = '';
  let last = '';
  let beforeLast = '';
  let ending = '';
  const encode = (items: readonly StreamItem[]): string => {
    let text = '';
    for (const item of items) {
      if (item.kind === 'usage') usage = item.usage;
      text += item.kind === 'error' ? scrub(encoder.encode(item)) : encoder.encode(item);
    }
    if (head === '') head = text.slice(0, MODEL_SEARCH_CHARS);
    if (text === '') return text;
    beforeLast = last;
    last = text;
    return text;
  };
  /** A frame that the decoder ignores must not be a broken part of the answer. */
  const read = (frame: Frame): readonly StreamItem[] => {
    const items = decoder.push(frame);
    if (items.length > 0 || !isBrokenJson(frame.data)) return items;
    throw new AppError('UPSTREAM_STREAM_BROKEN', { detail: 'The provider sent an event that is not valid JSON' });
  };
  let broken: AppError | undefined;
  return {
    get broken() {
      return broken ?? reader.broken;
    },
    push: (bytes) => {
      let text = '';
      try {
        for (const frame of reader.push(bytes)) text += encode(read(frame));
      } catch (error) {
        if (text === '' || !(error instanceof AppError)) throw error;
        broken = error;
      }
      return text === '' ? undefined : text;
    },
    end: () => {
      const rest = reader.end().flatMap((frame) => decoder.push(frame));
      const text = encode([...rest, ...decoder.end()]);
      ending = encoder.end();
      return text + ending;
    },
    fail: (error) => encoder.fail(errorFields(error)),
    report: () => ({
      usage: usage && readUsage(usage),
      model: findModel(head),
      end: () => findEnd({ head, tail: beforeLast + last + ending }),
    }),
    sample: () => head + last,
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
