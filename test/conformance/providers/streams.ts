/** Streams fed in pieces. */
import type { Call, Frame, Framing, StreamDecoder, StreamItem } from '../../../gateway/src/providers/contract.ts';
import type { OpenedStream } from '../../../gateway/src/providers/engine/index.ts';
import {
  createEventStreamReader,
  encodeEventStreamChunk,
  encodeEventStreamMessage,
} from '../../../gateway/src/wire/eventstream/index.ts';
import type { FrameReader } from '../../../gateway/src/wire/framing/reader.ts';
import { createJsonLinesReader, createSseLinesReader, createSseReader } from '../../../gateway/src/wire/framing/sse.ts';
import { createTextReader } from '../../../gateway/src/wire/framing/text.ts';
import type { Exchange, UpstreamMessage } from './fixture.ts';

/** Above this size a sample of split points has to do. */
const EVERY_SPLIT_BYTES = 8192;
const SAMPLED_SPLITS = 500;

const READERS: Readonly<Record<Framing, () => FrameReader>> = {
  sse: createSseReader,
  'sse-lines': createSseLinesReader,
  'json-lines': createJsonLinesReader,
  'aws-eventstream': createEventStreamReader,
  text: createTextReader,
};

/** The bytes of the upstream. */
export function streamBytes(stream: NonNullable<Exchange['upstream_stream']>): Buffer {
  return typeof stream === 'string' ? Buffer.from(stream) : Buffer.concat(stream.map(encodeMessage));
}

const encodeMessage = (message: UpstreamMessage): Buffer =>
  'chunk' in message ? encodeEventStreamChunk(message.chunk) : encodeEventStreamMessage(message);

/** Where a stream is cut in two: everywhere, or at evenly spread places of a long one. */
export function splitPoints(length: number): readonly number[] {
  const step = length <= EVERY_SPLIT_BYTES ? 1 : Math.ceil(length / SAMPLED_SPLITS);
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, i) => i * step);
}

export const cut = (bytes: Buffer, at: number): readonly Buffer[] => [bytes.subarray(0, at), bytes.subarray(at)];

/** What the decoder makes of the pieces. */
export function decode(
  { framing, decoder }: { readonly framing: Framing; readonly decoder: StreamDecoder },
  pieces: readonly Buffer[],
): readonly StreamItem[] {
  const reader = READERS[framing]();
  const read = [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
  const frames = framing === 'text' ? joined(read) : read;
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
}

/** Text has no frames of its own: what a piece is depends on the network, and only the whole can be compared. */
const joined = (frames: readonly Frame[]): readonly Frame[] => [
  { event: undefined, data: frames.map(({ data }) => data).join('') },
];

/** What the relay makes of the pieces. */
export function relay({ relay: relayed }: OpenedStream & { kind: 'relay' }, pieces: readonly Buffer[]): string {
  return Buffer.concat([...pieces.map((piece) => relayed.push(piece)), relayed.end()]).toString('utf8');
}

/** An item as fixtures write it. */
export function toPlainItem(item: StreamItem): unknown {
  if (item.kind === 'usage') return { usage: item.usage };
  if (item.kind === 'error') return { error: item.error };
  return { chunk: item.data, ...(item.event === undefined ? {} : { event: item.event }) };
}

export type OpenWith = (call: Call) => OpenedStream | undefined;
