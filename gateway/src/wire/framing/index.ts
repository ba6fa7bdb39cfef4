import { createEventStreamReader } from '../eventstream/index.ts';
import type { FrameReader } from './reader.ts';
import { createJsonLinesReader, createSseLinesReader, createSseReader } from './sse.ts';
import { createTextReader } from './text.ts';

export { type FrameReader, MAX_FRAME_BYTES } from './reader.ts';

/** How an upstream separates the events of its stream; `text`: not at all, each piece that arrives is one. */
export type Framing = 'sse' | 'sse-lines' | 'json-lines' | 'aws-eventstream' | 'text';

const READERS: Readonly<Record<Framing, () => FrameReader>> = {
  sse: createSseReader,
  'sse-lines': createSseLinesReader,
  'json-lines': createJsonLinesReader,
  'aws-eventstream': createEventStreamReader,
  text: createTextReader,
};

/** A reader for one stream. */
export function createFrameReader(framing: Framing): FrameReader {
  return READERS[framing]();
}
